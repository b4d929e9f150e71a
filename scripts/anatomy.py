"""Looks at what is known of the body, and checks the tables it is read from.

    python scripts/anatomy.py check             every fault of the tables: file, line, fault
    python scripts/anatomy.py show "left kidney"
    python scripts/anatomy.py path spleen "portal vein"

The tables are MultiRoundSeg/MultiRoundSegLib/anatomy/*.csv and its folder statements; `check --folder DIR` checks
other tables of statements before they are put there.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse and do one thing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    check_parser = commands.add_parser("check", help="list every fault of the tables")
    check_parser.add_argument("--folder", type=Path, help="other tables of statements")
    commands.add_parser("show", help="all that is known of a structure").add_argument("name", nargs="+")
    path_parser = commands.add_parser("path", help="how two structures are related")
    path_parser.add_argument("one")
    path_parser.add_argument("other")
    options = parser.parse_args()
    if options.command == "check":
        return check(options.folder)
    return show(" ".join(options.name)) if options.command == "show" else path(options.one, options.other)


def check(folder: Path | None) -> int:
    """Print every fault; 1 where there are any."""
    from MultiRoundSegLib.anatomy import check_statements, load_anatomy

    if folder and not list(folder.glob("*.csv")):
        print(f"There are no tables (*.csv) in {folder}.", file=sys.stderr)
        return 1
    try:
        structures = {structure.key: structure for structure in load_anatomy().structures}
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    faults = check_statements(structures, folder) if folder else check_statements(structures)
    print(*faults, f"{len(faults)} faults.", sep="\n")
    return 1 if faults else 0


def show(name: str) -> int:
    """Print names, codes, statements and relations; 1 where the name is not known."""
    from MultiRoundSegLib.anatomy import load_knowledge

    knowledge = load_knowledge()
    entity = _entity(name)
    if entity is None:
        return 1
    structure = entity.structure
    print(f"{structure.key} ({structure.kind})")
    print(f"  names: {'; '.join(structure.english)}; {'; '.join(structure.chinese)}")
    if entity.code:
        print(f"  code: {entity.code.scheme} {entity.code.value} {entity.code.meaning}")
    for statement in knowledge.said_of(structure):
        phrases = "; ".join((*statement.english, *statement.chinese))
        if phrases:
            side = f" ({statement.subject.side})" if statement.subject.side else ""
            print(f"  {statement.relation}{side}: {phrases}")
    for fact in knowledge.facts_of(structure):
        print(f"  {fact.sentence('en')}.")
    return 0


def path(one: str, other: str) -> int:
    """Print the shortest chain of relations; 1 where there is none."""
    from MultiRoundSegLib.anatomy import load_knowledge

    ends = [_entity(name) for name in (one, other)]
    if None in ends:
        return 1
    first, last = (entity.structure for entity in ends if entity)
    chain = load_knowledge().path(first, last)
    for fact in chain or ():
        print(f"{fact.sentence('en')}.")
    if not chain:
        print(f"No relation between {one} and {other} is known.", file=sys.stderr)
    return 0 if chain else 1


def _entity(name: str):
    from MultiRoundSegLib.anatomy import load_anatomy

    anatomy = load_anatomy()
    entity = anatomy.identify(name) or next((m.entities[0] for m in anatomy.mentions(name)), None)
    if entity is None:
        print(f"There is no structure {name!r}.", file=sys.stderr)
    return entity


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "MultiRoundSeg"))
    sys.exit(main())
