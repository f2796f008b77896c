"""F1 by attribute buckets as an evaluate module."""

import evaluate

from cleancut.hub.faces import NerModule
from cleancut.hub.faces import module_info
from cleancut.scoring.buckets import METRIC

_DESCRIPTION = """\
Precision, recall and F1 by what a mention is like: its length, its type, its case, the length and the density of its
sentence, and what training has shown of it (label consistency, frequency, novelty).
"""

_INPUTS = """
Args:
    predictions: one list for each sample: tags ("B-PER"), label ids (with labels=), or spans
        ({"start", "end", "label"}, half-open token offsets); or the texts of a language model's answers, with tokens.
    references: the same of the gold annotation. Positions whose label id is -100 are left out on both sides.
    tokens: the words of each sample (required); here, with each batch, or once at evaluate.load(..., tokens=...).
    train: the training data, as columns {"tokens": ..., "tags": ...} (or ner_tags, or entities), as a Dataset with such
        columns, a DatasetDict (its split train) or a list of such; here or once at evaluate.load(..., train=...).
    labels: names of the label ids: a list, an id2label dict or a ClassLabel.
    scheme: iob1, iob2, ioe1, ioe2, bioes, bilou, bmes, bmeow or io; inferred if not given.
    repair: what to do with ill-formed tags: "conlleval" (default), "discard" or "error".
    types: other names for types, by those that predictions, references and train have: {"person": "PER"}.
    beta: with 2, each F1 has beside it F2 (f2/...), in which recall weighs twice as much (default 1).
    ci: a number of resamples, for 95% intervals (f1_low/..., f1_high/...); seed: of the draws (default 13).
    attributes: names out of eDen, oDen, sLen, eCon, tCon, eFre, tFre, eLen, label, novelty, case (default all).
    bins: a number of buckets (default 4), or for each attribute a number of buckets or a list of edges.
    level: "entity" (default), or "token" for the tokens in mentions.
    case: does case matter for what counts as the same entity? (default True)
    typed: does the type? (default True)
    unicode: a Unicode normal form to bring words into first, such as "NFKC" (default None).

Returns:
    precision, recall, f1, n_gold, n_pred, n_exact_gold and n_exact_pred of each bucket, as "f1/eLen/1" or
    "n_gold/novelty/seen", and signature. NaN where a bucket is empty.

Examples:
    >>> import evaluate, cleancut
    >>> train = {"tokens": [["Alice"]], "tags": [["B-PER"]]}
    >>> metric = evaluate.load(cleancut.metric("bucket_f1"), train=train)
    >>> result = metric.compute(
    ...     predictions=[["B-PER", "O", "O"]],
    ...     references=[["B-PER", "B-PER", "O"]],
    ...     tokens=[["Alice", "Bob", "sang"]],
    ... )
    >>> result["f1/novelty/seen"], result["f1/novelty/unknown_words"], result["n_gold/eLen/1"]
    (1.0, 0.0, 2)
"""

_CITATION = """\
@inproceedings{fu-etal-2020-interpretable,
    title = "Interpretable Multi-dataset Evaluation for Named Entity Recognition",
    author = "Fu, Jinlan and Liu, Pengfei and Neubig, Graham",
    booktitle = "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing",
    year = "2020",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class BucketF1(NerModule, evaluate.Metric):
    """F1 by attribute buckets."""

    record = METRIC

    def _info(self):
        return module_info(_DESCRIPTION, _INPUTS, _CITATION)

    def _compute(self, predictions, references, **options):
        return METRIC.function(references, predictions, **self.options(options)).to_dict()
