# SPDX-License-Identifier: BSD-3-Clause
"""The domain of a run, and numbers of cells by direction, which are written as the program writes them."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Domain:
    """So many boxes in all, of 2^log2_box_dim cells per side, on so many ranks. `shape` is the value of --domain."""
    ranks: int
    log2_box_dim: int
    boxes: int
    shape: str = "cube"

    def dof(self):
        return self.boxes * 8**self.log2_box_dim

    def boxes_per_rank(self):
        """Of the fullest rank."""
        return -(-self.boxes // self.ranks)

    def fullest(self):
        """Unknowns of the fullest rank over the mean."""
        return self.boxes_per_rank() * self.ranks / self.boxes

    def words(self):
        """The program's arguments."""
        shape = [] if self.shape == "cube" else ["--domain", self.shape]
        return [*shape, str(self.log2_box_dim), str(self.boxes_per_rank())]


def weak_domain(ranks, log2_box_dim, boxes):
    """With exactly so many boxes on each rank."""
    return Domain(ranks, log2_box_dim, ranks * boxes, "exact")


def strong_domain(ranks, log2_box_dim, side):
    """A cube with so many boxes along each edge."""
    return Domain(ranks, log2_box_dim, side**3)


def cells_of(solve):
    """Cells by direction; reports of before --domain have cubes only."""
    return tuple(solve.get("cells") or 3 * [solve["n"]])


def cells_text(cells):
    """64^3, or 64x48x32."""
    return "x".join(map(str, cells)) if len(set(cells)) > 1 else f"{cells[0]}^3"


def parse_cells(text):
    """What cells_text() wrote."""
    return 3 * (int(text[:-2]),) if text.endswith("^3") else tuple(map(int, text.split("x")))


def cells_label(text):
    """For figures: 64³, or 64×48×32."""
    return text.replace("^3", "³").replace("x", "×")
