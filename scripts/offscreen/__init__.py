"""Slicer's scene, module logics and slice views without Slicer's window.

Built on the `slicer-core` wheel, which holds Slicer's classes but not its application. This package starts
what the application would start; the panel never imports it.
"""
