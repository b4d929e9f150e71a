"""What is known: the structures of the body, their names in English and Chinese, their codes and colours."""

from .anatomy import Anatomy, Mention, load_anatomy
from .structure import Entity, Language, Side, Structure

__all__ = ["Anatomy", "Entity", "Language", "Mention", "Side", "Structure", "load_anatomy"]
