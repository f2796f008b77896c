"""Partial-credit mention F1 as an evaluate module."""

import evaluate

from cleancut.hub.faces import NerModule
from cleancut.hub.faces import module_info
from cleancut.scoring.partial import METRIC

_DESCRIPTION = """\
Mention F1 with part of the credit for near misses of the right type: same start (left), same end (right) or a shared
token (overlap), beside the exact score; on request the four scores of SemEval-2013 (muc) and credit by intersection
over union (iou). Any tag scheme, label ids or spans; order of predictions never matters.
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
    beta: with 2, each F1 has beside it F2 (f2_left, f2_overlap), in which recall weighs twice as much (default 1).
    ci: a number of resamples, for 95% intervals (value_low, value_high); seed: of the draws (default 13).
    credit: what a partial match is worth, from 0 to 1 (default 0.5).
    muc: add the scores of SemEval-2013 (strict, exact, partial, type) with their counts (default False).
    iou: add the score with intersection over union as the credit (default False).

Returns:
    precision_*, recall_* and f1_* for exact, left, right and overlap; n_gold, n_pred, n_exact, n_partial_left,
    n_partial_right, n_partial_overlap, n_repaired_gold, n_repaired_pred; with muc precision_muc_strict, recall_muc_*,
    f1_muc_* for strict, exact, partial and type, and n_muc_strict_cor, ..._inc, ..._par, ..._mis, ..._spu; with iou
    precision_iou, recall_iou and f1_iou; the same for each type as "f1_overlap/PER", and signature.

Examples:
    >>> import evaluate, cleancut
    >>> metric = evaluate.load(cleancut.metric("partial_f1"))
    >>> result = metric.compute(predictions=[["O", "B-ORG", "I-ORG"]], references=[["B-ORG", "I-ORG", "I-ORG"]])
    >>> result["f1_exact"], result["f1_left"], result["f1_right"], result["f1_overlap"]
    (0.0, 0.0, 0.5, 0.5)
"""

_CITATION = """\
@misc{kong-sullivan-partial,
    title = "Partial Evaluation Metrics in Named Entity Recognition",
    author = "Kong, James and Sullivan, Charles",
}
@inproceedings{segura-bedmar-etal-2013-semeval,
    title = "{S}em{E}val-2013 Task 9: Extraction of Drug-Drug Interactions from Biomedical Texts
             ({DDIE}xtraction 2013)",
    author = "Segura-Bedmar, Isabel and Mart{\\'\\i}nez, Paloma and Herrero-Zazo, Mar{\\'\\i}a",
    booktitle = "Second Joint Conference on Lexical and Computational Semantics (*{SEM}), Volume 2",
    year = "2013",
    pages = "341--350",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class PartialF1(NerModule, evaluate.Metric):
    """Partial-credit mention F1."""

    record = METRIC

    def _info(self):
        return module_info(_DESCRIPTION, _INPUTS, _CITATION)

    def _compute(self, predictions, references, **options):
        return METRIC.function(references, predictions, **self.options(options)).to_dict()
