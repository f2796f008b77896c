"""Clean F1 and delta F1 as an evaluate module."""

import evaluate

from cleancut.hub.faces import NerModule
from cleancut.hub.faces import module_info
from cleancut.scoring.clean import METRIC

_DESCRIPTION = """\
F1 on the mentions unseen in training, and delta F1: how much of an F1 is memory. Recall on clean and on
contaminated mentions, precision both ways, recall by novelty, what a look-up of the training mentions would score (of
the names that are mentions in at least half of their places in the training text), and on request recall on names that
have several types (confusable).
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
    beta: with 2, each F1 has beside it F2 (clean_f2, delta_f2), in which recall weighs twice as much (default 1).
    ci: a number of resamples, for 95% intervals (value_low, value_high); seed: of the draws (default 13).
    match: "exact" (default), "left", "right" or "overlap"; a match that is not exact earns credit.
    credit: what such a match is worth, from 0 to 1 (default 0.5).
    case: does case matter for what counts as the same entity? (default True)
    typed: does the type? (default True)
    unicode: a Unicode normal form to bring words into first, such as "NFKC" (default None).
    confusable: add the recall of mentions whose words have several types in the references (default False).
    same: which names count as seen: "exact" (default), "fold" (whatever case and punctuation), "id", "alias", "part"
        (one has the words of the other), "templates" (the sentence, once masked), combined with "+": "fold+part".
    entity_ids: for "id", the ids (MeSH, Wikidata) of each reference, or beside tags of each token: [["D001", None]];
        train has them as a column of this name.
    aliases: for "alias", lists of names that mean the same: [["USA", "United States"]].
    part_limit: for "part", a word in more training names of two or more words is generic (default 20).
    staircase: add recall in six steps from seen to new, recall_step_* and n_step_* (default False).

Returns:
    precision, recall, f1, clean_recall, contaminated_recall, clean_f1, contaminated_f1, delta_f1, delta_recall,
    clean_precision, clean_precision_naive, contaminated_precision_naive, clean_f1_star, n_gold, n_clean,
    n_contaminated, n_pred, contamination_rate, recall_* and n_* by novelty, memorisation_precision,
    memorisation_recall, memorisation_f1; with confusable recall_confusable, recall_confusable_seen,
    recall_confusable_unseen and their n_*; with staircase recall_step_seen, recall_step_other_type,
    recall_step_folded, recall_step_part, recall_step_template, recall_step_new and their n_*; where train lacks a
    type of the references, f1_type_new_entity_new and the other three groups by type and words seen or new, with
    recall_*, n_*, precision_type_*; the same for each type as
    "clean_f1/PER", and signature. NaN where a subset is empty.

Examples:
    >>> import evaluate, cleancut
    >>> train = {"tokens": [["Alice"]], "tags": [["B-PER"]]}
    >>> metric = evaluate.load(cleancut.metric("clean_f1"), train=train)
    >>> result = metric.compute(
    ...     predictions=[["B-PER", "B-PER", "B-PER"]],
    ...     references=[["B-PER", "B-PER", "O"]],
    ...     tokens=[["Alice", "Bob", "Charlie"]],
    ... )
    >>> result["clean_recall"], result["clean_precision"], result["delta_f1"]
    (1.0, 0.5, 0.0)
"""

_CITATION = """\
@inproceedings{babl-etal-2025-random,
    title = "Random Splitting Negatively Impacts {NER} Evaluation:
             Quantifying and Eliminating the Overestimation of {NER} Performance",
    author = "Babl, Florian and Hennen, Moritz and Murauer, Jakob and Geierhos, Michaela",
    booktitle = "Findings of the Association for Computational Linguistics: ACL 2025",
    year = "2025",
    pages = "9724--9738",
    url = "https://aclanthology.org/2025.findings-acl.504/",
}
@inproceedings{tu-lignos-2021-tmr,
    title = "{TMR}: Evaluating {NER} Recall on Tough Mentions",
    author = "Tu, Jingxuan and Lignos, Constantine",
    booktitle = "Proceedings of the 16th Conference of the European Chapter of the Association for Computational
                 Linguistics: Student Research Workshop",
    year = "2021",
    pages = "155--163",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class CleanF1(NerModule, evaluate.Metric):
    """Clean F1 and delta F1."""

    record = METRIC

    def _info(self):
        return module_info(_DESCRIPTION, _INPUTS, _CITATION)

    def _compute(self, predictions, references, **options):
        return METRIC.function(references, predictions, **self.options(options)).to_dict()
