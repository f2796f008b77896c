"""A Trainer loop that logs what F1 is worth: a tiny, randomly initialised model on generated data, on the CPU.

pip install ".[trainer]"
python examples/trainer.py
"""

from __future__ import annotations

import argparse
import tempfile

import datasets
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

from cleancut.demo.sampletext import generate
from cleancut.trainer import NerMetrics


def splits(n_samples: int) -> datasets.DatasetDict:
    """Generated sentences as a dataset of words and ClassLabel tags, split at random as most datasets are."""
    corpus = generate(n_samples)
    tags = corpus.tags()
    names = ["O", *sorted({tag for sample in tags for tag in sample} - {"O"})]
    features = datasets.Features(
        {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(datasets.ClassLabel(names=names))}
    )
    rows = {"tokens": corpus.tokens(), "ner_tags": [[names.index(tag) for tag in sample] for sample in tags]}
    both = datasets.Dataset.from_dict(rows, features=features).train_test_split(test_size=0.2, seed=13)
    held_out = both["test"].train_test_split(test_size=0.5, seed=13)
    return datasets.DatasetDict(train=both["train"], validation=held_out["train"], test=held_out["test"])


def sub_word_tokenizer(words: set[str]) -> transformers.PreTrainedTokenizerFast:
    """A WordPiece tokenizer over the letters and the frequent words: rare names fall into several pieces."""
    letters = sorted({c for word in words for c in word})
    vocabulary = ["[PAD]", "[UNK]", *letters, *(f"##{c}" for c in letters), *sorted(w for w in words if w.islower())]
    ids = {piece: i for i, piece in enumerate(dict.fromkeys(vocabulary))}
    plain = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]")


def tokenised(data: datasets.Dataset, tokenizer: transformers.PreTrainedTokenizerFast) -> datasets.Dataset:
    """Sub-words, with the label on the first of each word and -100 on the others."""

    def label(batch):
        encoded = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True, max_length=128)
        encoded["labels"] = []
        for i, tags in enumerate(batch["ner_tags"]):
            words = encoded.word_ids(i)
            first = [w is not None and (k == 0 or words[k - 1] != w) for k, w in enumerate(words)]
            encoded["labels"].append([tags[w] if is_first else -100 for w, is_first in zip(words, first, strict=True)])
        return encoded

    return data.map(label, batched=True, remove_columns=data.column_names)


def small_model(n_pieces: int, names: list[str]) -> transformers.BertForTokenClassification:
    """A model of two layers, as it is before any training."""
    config = transformers.BertConfig(
        vocab_size=n_pieces, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        num_labels=len(names), id2label=dict(enumerate(names)), label2id={name: i for i, name in enumerate(names)},
    )  # fmt: skip
    return transformers.BertForTokenClassification(config)


def train(n_samples: int = 1500, max_steps: int = 400, eval_steps: int = 100) -> list[dict]:
    """Train and return the log."""
    transformers.set_seed(13)
    dd = splits(n_samples)
    names = dd["train"].features["ner_tags"].feature.names
    tokenizer = sub_word_tokenizer({word for row in dd["train"]["tokens"] for word in row})
    sets = {name: dd[name] for name in ("validation", "test")}  # all that will be evaluated or predicted
    with tempfile.TemporaryDirectory() as folder:
        trainer = transformers.Trainer(
            model=small_model(len(tokenizer), names),
            args=transformers.TrainingArguments(
                folder, max_steps=max_steps, eval_strategy="steps", eval_steps=eval_steps, learning_rate=2e-3,
                per_device_train_batch_size=32, per_device_eval_batch_size=64, logging_steps=eval_steps,
                save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True, seed=13,
            ),
            train_dataset=tokenised(dd["train"], tokenizer),
            eval_dataset=tokenised(dd["validation"], tokenizer),
            data_collator=transformers.DataCollatorForTokenClassification(tokenizer),
            compute_metrics=NerMetrics(train=dd["train"], evaluation=sets),
        )  # fmt: skip
        trainer.train()
        trainer.log(trainer.predict(tokenised(dd["test"], tokenizer)).metrics)
        return trainer.state.log_history


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--steps", type=int, default=400)
    arguments = parser.parse_args()
    log = train(arguments.samples, arguments.steps, max(arguments.steps // 4, 1))
    columns = ["f1", "clean_f1", "delta_f1", "clean_recall", "memorisation_f1", "hardeval"]
    print("\n" + "  ".join(["step".rjust(5), *(name.rjust(15) for name in columns)]))
    for entry in log:
        for prefix in ("eval", "test"):
            if f"{prefix}_f1" in entry:
                when = f"{entry['step']:5}" if prefix == "eval" else " test"
                print("  ".join([when, *(f"{entry[f'{prefix}_{name}']:15.4f}" for name in columns)]))


if __name__ == "__main__":
    main()
