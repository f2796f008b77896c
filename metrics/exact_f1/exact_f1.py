"""Exact mention F1 as an evaluate module."""

import evaluate

from cleancut.hub.faces import NerModule
from cleancut.hub.faces import module_info
from cleancut.scoring.exact import METRIC

_DESCRIPTION = """\
Mention F1 for named-entity recognition: a prediction counts where start, end and type agree with a gold mention.
Any tag scheme, label ids or spans; repairs are counted; every result carries a signature.
"""

_INPUTS = """
Args:
    predictions: one list for each sample: tags ("B-PER"), label ids (with labels=), or spans
        ({"start", "end", "label"}, half-open token offsets); or the texts of a language model's answers, with tokens.
    references: the same of the gold annotation. Positions whose label id is -100 are left out on both sides.
    tokens: the words of each sample (optional; checked against the labels).
    labels: names of the label ids: a list, an id2label dict or a ClassLabel.
    scheme: iob1, iob2, ioe1, ioe2, bioes, bilou, bmes, bmeow or io; inferred if not given.
    repair: what to do with ill-formed tags: "conlleval" (default), "discard" or "error".
    types: other names for types, by those that predictions and references have: {"person": "PER"}.
    beta: with 2, each F1 has beside it F2 (f2, macro_f2), in which recall weighs twice as much (default 1).
    ci: a number of resamples, for 95% intervals (value_low, value_high); seed: of the draws (default 13).
    keys: "cleancut" (default), or "seqeval" for the keys of evaluate's seqeval.

Returns:
    precision, recall, f1, n_gold, n_pred, n_exact, macro_*, weighted_*, n_repaired_gold, n_repaired_pred,
    the same for each type as "f1/PER", and signature.

Examples:
    >>> import evaluate, cleancut
    >>> metric = evaluate.load(cleancut.metric("exact_f1"))
    >>> result = metric.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "B-LOC"]])
    >>> result["precision"], result["recall"], result["f1/PER"]
    (1.0, 0.5, 1.0)
"""

_CITATION = """\
@inproceedings{tjong-kim-sang-de-meulder-2003-introduction,
    title = "Introduction to the {C}o{NLL}-2003 Shared Task: Language-Independent Named Entity Recognition",
    author = "Tjong Kim Sang, Erik F. and De Meulder, Fien",
    booktitle = "Proceedings of the Seventh Conference on Natural Language Learning at {HLT}-{NAACL} 2003",
    year = "2003",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class ExactF1(NerModule, evaluate.Metric):
    """Exact mention F1."""

    record = METRIC

    def _info(self):
        return module_info(_DESCRIPTION, _INPUTS, _CITATION)

    def _compute(self, predictions, references, **options):
        return METRIC.function(references, predictions, **self.options(options)).to_dict()
