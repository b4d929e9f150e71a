"""What is known: the structures of the body, their names in English and Chinese, what is said of them."""

from .anatomy import Anatomy, Mention, load_anatomy
from .categories import Category
from .chinese import simplified
from .cues import Cue, cue_words, cues_in
from .evidence import Heard
from .knowledge import Fact, Knowledge, load_knowledge
from .language import Language, language_of
from .lexicon import common_words, is_common
from .relations import load_relations
from .spelling import Mended, Spelling, mend
from .statements import Place, Statement, check_statements
from .structure import Entity, Side, Structure
from .terms import terms_of

__all__ = [
    "Anatomy",
    "Category",
    "Cue",
    "Entity",
    "Fact",
    "Heard",
    "Knowledge",
    "Language",
    "Mended",
    "Mention",
    "Place",
    "Side",
    "Spelling",
    "Statement",
    "Structure",
    "check_statements",
    "common_words",
    "cue_words",
    "cues_in",
    "is_common",
    "language_of",
    "load_anatomy",
    "load_knowledge",
    "load_relations",
    "mend",
    "simplified",
    "terms_of",
]
