"""How a worker is asked: the bytes and JSON that client and worker share, protocol 1.

All paths begin with /v1; every request but `health` carries `Authorization: Bearer TOKEN` where the worker has a token.

All requests of a client's session carry the same X-Session-Id, so that they can be led to the same replica.

    GET    /info                              who answers: engine, version, weights, device, limits, protocol
    GET    /health                            {"status": "ok"}, without login
    GET    /metrics                           for Prometheus
    POST   /sessions                          a volume's description (`volumes`) -> 201 {"session": ID}; 404
                                              VolumeUnknownError where its voxels must be sent first
    PUT    /volumes/SHA256                    the voxels, C order, little-endian; may be gzip (Content-Encoding)
    PUT    /sessions/ID/jobs/JOB              a question and the dialogue so far (`rounds`), as a message -> 202;
                                              JOB is a UUID of the client's: the same job is never done twice
    GET    /sessions/ID/jobs/JOB/events       server-sent events: "progress" {"fraction", "message"}, "masks"
                                              {"wanted": [{"round", "mask"}]}, and at last "end" {"state"}
    PUT    /sessions/ID/jobs/JOB/masks/R/M    mask M (from 1) of round R (0: given before), as a message -> 204
    GET    /sessions/ID/jobs/JOB/result       the answer, as a message; 202 while it is not there
    DELETE /sessions/ID/jobs/JOB              cancel it, or forget its result -> 204
    DELETE /sessions/ID                       forget volume and dialogue -> 204

A message (`message`) is a JSON object and blobs, each with its length and SHA-256. Masks travel cropped, one bit a
voxel; those of the dialogue only when the engine looks at them, which it says by a "masks" event. A failure is
`{"error": CLASS, "message": SENTENCE, ...}` (`faults`) with a fitting status. Nothing is pickled, and everything is
checked when it is read: what does not fit raises `WireError`.

Patient data does not travel: of a volume only voxels, grid, modality and frame, never its name or series.
"""

PROTOCOL = 1
MEDIA_TYPE = "application/x-multiroundseg"
