"""What is known: the structures of the body, their names in English and Chinese, their codes and colours."""

from .anatomy import Anatomy, Mention, load_anatomy
from .language import Language, language_of
from .structure import Entity, Side, Structure

__all__ = ["Anatomy", "Entity", "Language", "Mention", "Side", "Structure", "language_of", "load_anatomy"]
