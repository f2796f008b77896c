"""hardeval as an evaluate module."""

import evaluate

from cleancut.hub.faces import NerModule
from cleancut.hub.faces import module_info
from cleancut.scoring.hard_tokens import METRIC

_DESCRIPTION = """\
Token error rates where memory does not help: on words that training does not have (unseen) and on tokens whose label is
not the usual one of their word (diff). hardeval is the mean of the two.
"""

_INPUTS = """
Args:
    predictions: one list for each sample: tags ("B-PER"), label ids (with labels=), or spans
        ({"start", "end", "label"}, half-open token offsets) that do not overlap; or the texts of a language model's
        answers, with tokens.
    references: the same of the gold annotation. Positions whose label id is -100 are left out on both sides.
    tokens: the words of each sample (required); here, with each batch, or once at evaluate.load(..., tokens=...).
    train: the training data, as columns {"tokens": ..., "tags": ...} (or ner_tags, or entities), as a Dataset with such
        columns, a DatasetDict (its split train) or a list of such; here or once at evaluate.load(..., train=...).
    labels: names of the label ids: a list, an id2label dict or a ClassLabel.
    scheme: iob1, iob2, ioe1, ioe2, bioes, bilou, bmes, bmeow or io; inferred if not given.
    repair: what to do with ill-formed tags: "conlleval" (default), "discard" or "error".
    types: other names for types, by those that predictions, references and train have: {"person": "PER"}.
    ci: a number of resamples, for 95% intervals (value_low, value_high); seed: of the draws (default 13).
    strict: count a token as diff only if its label was never seen with the word (default False).
    encoding: the token labels compared: "bilou" (default), "bio" or "io".

Returns:
    hardeval, ter, ter_unseen, ter_unseen_i, ter_unseen_o, ter_diff, ter_diff_i, ter_diff_o, ter_diff_e, ter_other, with
    n_* and errors_* for each, share_unseen, share_diff, share_other, and signature. Lower is better; NaN where no token
    is of the kind.

Examples:
    >>> import evaluate, cleancut
    >>> train = {"tokens": [["Ada", "spoke"]], "tags": [["B-PER", "O"]]}
    >>> metric = evaluate.load(cleancut.metric("hardeval"), train=train)
    >>> result = metric.compute(
    ...     predictions=[["O", "O"]], references=[["B-PER", "O"]], tokens=[["Grace", "spoke"]]
    ... )
    >>> result["ter"], result["ter_unseen"], result["n_unseen_i"]
    (0.5, 1.0, 1)
"""

_CITATION = """\
@inproceedings{bernier-colborne-langlais-2020-hardeval,
    title = "{H}ard{E}val: Focusing on Challenging Tokens to Assess Robustness of {NER}",
    author = "Bernier-Colborne, Gabriel and Langlais, Phillippe",
    booktitle = "Proceedings of the Twelfth Language Resources and Evaluation Conference",
    year = "2020",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class Hardeval(NerModule, evaluate.Metric):
    """hardeval."""

    record = METRIC

    def _info(self):
        return module_info(_DESCRIPTION, _INPUTS, _CITATION)

    def _compute(self, predictions, references, **options):
        return METRIC.function(references, predictions, **self.options(options)).to_dict()
