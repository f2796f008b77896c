"""What annotation tools and libraries export, written by hand: the same five samples in each format.

``SAMPLES`` maps the name of a file to its content, which is to be read as ``WANTED``. ``EXPORTS`` are others, which lie
in the folder exports as tools write them: each with the number of its samples, and its mentions.
"""

import json
from pathlib import Path

TEXTS = ["Ada King met Bo in Oslo .", "Oslo slept .", "Nobody came .", "Bo likes New York .", "Ada ran ."]
TOKENS = [text.split() for text in TEXTS]
SPANS = [
    [(0, 2, "PER"), (3, 4, "PER"), (5, 6, "LOC")], [(0, 1, "LOC")], [], [(0, 1, "PER"), (2, 4, "LOC")], [(0, 1, "PER")]
]  # fmt: skip
WANTED = [[(" ".join(TOKENS[i][s:e]), label) for s, e, label in spans] for i, spans in enumerate(SPANS)]


def _at(i):
    """The spans of a sample as characters of its text."""
    found = []
    for start, end, label in SPANS[i]:
        first = sum(len(token) + 1 for token in TOKENS[i][:start])
        found.append((first, first + len(" ".join(TOKENS[i][start:end])), label))
    return found


def _tags(i, scheme="iob2"):
    tags = ["O"] * len(TOKENS[i])
    for start, end, label in SPANS[i]:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        if scheme == "bilou":
            tags[end - 1] = f"L-{label}" if end - start > 1 else f"U-{label}"
    return tags


def _lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def _conll(line, before="", between="\n"):
    samples = []
    for i in range(5):
        rows = [line(i, j, token, tag) for j, (token, tag) in enumerate(zip(TOKENS[i], _tags(i)))]
        samples.append(before.format(i=i) + "\n".join(rows) + "\n")
    return between.join(samples)


def _brackets(i, j):
    opened = "".join(f"({label}" for start, _, label in SPANS[i] if start == j)
    closed = "".join(")" for _, end, _ in SPANS[i] if end == j + 1)
    return f"{opened}*{closed}" if not (opened and closed) else f"{opened})"


def _marked(i, mark):
    text = TEXTS[i]
    for start, end, label in reversed(_at(i)):
        text = text[:start] + mark(text[start:end], label) + text[end:]
    return text


def _webanno():
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.NamedEntity|identifier|value\n\n\n"
    blocks, at, number = [], 0, 0
    for i, text in enumerate(TEXTS):
        lines, place = [f"#Text={text}"], at
        labels = ["_"] * len(TOKENS[i])
        for start, end, label in SPANS[i]:
            number += 1
            labels[start:end] = [f"{label}[{number}]" if end - start > 1 else label] * (end - start)
        for j, token in enumerate(TOKENS[i]):
            identifier = "_" if labels[j] == "_" else "*"
            lines.append(f"{i + 1}-{j + 1}\t{place}-{place + len(token)}\t{token}\t{identifier}\t{labels[j]}\t")
            place += len(token) + 1
        blocks.append("\n".join(lines) + "\n")
        at += len(text) + 1
    return head + "\n".join(blocks)


def _pubtator():
    texts = []
    for i, text in enumerate(TEXTS):
        title, _, rest = text.partition(" ")
        lines = [f"{i}|t|{title}", f"{i}|a|{rest}"]
        lines += [f"{i}\t{s}\t{e}\t{text[s:e]}\t{label}\tX{i}" for s, e, label in _at(i)]
        texts.append("\n".join(lines) + "\n")
    return "\n".join(texts)


def _span_rows(spans, text="text", start="start", end="end", label="label", **more):
    return [
        {text: TEXTS[i], spans: [{start: s, end: e, label: name} for s, e, name in _at(i)], **more} for i in range(5)
    ]


def _label_studio():
    tasks = []
    for i in range(5):
        result = [
            {"id": f"r{s}", "from_name": "label", "to_name": "text", "type": "labels",
             "value": {"start": s, "end": e, "text": TEXTS[i][s:e], "labels": [name]}}
            for s, e, name in _at(i)
        ]  # fmt: skip
        tasks.append({"id": i, "data": {"text": TEXTS[i]}, "annotations": [{"id": i, "result": result}]})
    return tasks


def _bioc():
    documents = []
    for i in range(5):
        annotations = [
            {"infons": {"type": name}, "text": TEXTS[i][s:e], "locations": [{"offset": s + 100, "length": e - s}]}
            for s, e, name in _at(i)
        ]  # fmt: skip
        documents.append({"id": str(i), "passages": [{"offset": 100, "text": TEXTS[i], "annotations": annotations}]})
    return {"source": "x", "documents": documents}


def _spacy_json():
    documents = []
    for i in range(5):
        tokens = [{"id": j, "orth": t, "ner": g} for j, (t, g) in enumerate(zip(TOKENS[i], _tags(i, "bilou")))]
        documents.append({"id": i, "paragraphs": [{"raw": TEXTS[i], "sentences": [{"tokens": tokens}]}]})
    return documents


def _kaggle():
    lines = ["Sentence #,Word,POS,Tag"]
    for i in range(5):
        for j, (token, tag) in enumerate(zip(TOKENS[i], _tags(i))):
            lines.append(f"{f'Sentence: {i + 1}' if j == 0 else ''},{token},NN,{tag}")
    return "\n".join(lines) + "\n"


def _pipeline_rows():
    return [
        {"text": TEXTS[i], "entities": [
            {"entity_group": name, "score": 0.9, "word": TEXTS[i][s:e], "start": s, "end": e} for s, e, name in _at(i)
        ]}
        for i in range(5)
    ]  # fmt: skip


def _prodigy():
    rows = _span_rows("spans", answer="accept")
    for row in rows:
        row["tokens"] = [{"text": token, "id": j} for j, token in enumerate(row["text"].split())]
    wrong = {"text": "Bad row", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    return [*rows, {**wrong, "answer": "reject"}, {**wrong, "answer": "ignore"}]


def _ubiai():
    return [
        {"document": TEXTS[i], "tokens": [
            {"text": TEXTS[i][s:e], "start": s, "end": e, "entityLabel": name} for s, e, name in _at(i)
        ], "relations": []}
        for i in range(5)
    ]  # fmt: skip


def _argilla(form):
    rows = []
    for i in range(5):
        spans = [{"start": s, "end": e, "label": n} if form == "dicts" else [n, s, e, 0.9] for s, e, n in _at(i)]
        rows.append({"text": TEXTS[i], "tokens": TOKENS[i], "annotation": spans, "status": "Validated"})
    return rows


def _records(inside=None, **places):
    """The texts and their spans under the names of a tool; a name with dots stands for objects in one another."""
    records = []
    for i in range(5):
        spans = []
        for start, end, label in _at(i):
            span = {}
            values = {"start": start, "end": end, "last": end - 1, "label": label, "words": TEXTS[i][start:end]}
            for value, place in places["span"].items():
                _put(span, place, values[value])
            spans.append(span | places.get("more", {}))
        record = {}
        _put(record, places["text"], TEXTS[i])
        _put(record, places["spans"], spans)
        records.append(record)
    if inside is None:
        return _lines(records)
    whole = {}
    _put(whole, inside, records)
    return json.dumps(whole, indent=1)


def _put(record, place, value):
    """Put a value where a place such as ``a.0.b`` says; numbers stand for the only item of a list."""
    *steps, last = place.split(".")
    for step, following in zip(steps, [*steps[1:], last]):
        new = [{}] if following == "0" else {}
        record = record[0] if step == "0" else record.setdefault(step, new)
    if last == "0":
        record[:] = [value]
    else:
        record[last] = value


def _core_nlp_json():
    sentences = []
    for i in range(5):
        types = [tag.rpartition("-")[2] for tag in _tags(i)]
        tokens = [
            {"index": j + 1, "word": t, "originalText": t, "ner": k} for j, (t, k) in enumerate(zip(TOKENS[i], types))
        ]
        mentions = [
            {"tokenBegin": s, "tokenEnd": e, "ner": k, "text": " ".join(TOKENS[i][s:e])} for s, e, k in SPANS[i]
        ]
        if i == 4:
            mentions.append({"tokenBegin": 1, "tokenEnd": 2, "ner": "PER", "text": "ran"})  # a mention without a tag
        sentences.append({"index": i, "entitymentions": mentions, "tokens": tokens})
    return json.dumps({"docId": "a", "sentences": sentences}, indent=1)


def _core_nlp_xml():
    sentences = []
    for i in range(5):
        tokens = [
            f"<token><word>{word}</word><NER>{tag.rpartition('-')[2]}</NER></token>"
            for word, tag in zip(TOKENS[i], _tags(i))
        ]
        sentences.append(f"<sentence><tokens>{''.join(tokens)}</tokens></sentence>")
    inside = "".join(sentences)
    return f'<?xml version="1.0"?>\n<root><document><sentences>{inside}</sentences></document></root>\n'


def _naf():
    words, terms, entities = [], [], []
    for i in range(5):
        for s, e, label in SPANS[i]:
            targets = "".join(f'<target id="t{i}.{j}"/>' for j in range(s, e))
            entities.append(f'<entity type="{label}"><references><span>{targets}</span></references></entity>')
        for j, word in enumerate(TOKENS[i]):
            words.append(f'<wf id="w{i}.{j}" sent="{i + 1}">{word}</wf>')
            terms.append(f'<term id="t{i}.{j}"><span><target id="w{i}.{j}"/></span></term>')
    parts = f"<text>{''.join(words)}</text><terms>{''.join(terms)}</terms><entities>{''.join(entities)}</entities>"
    return f'<?xml version="1.0"?>\n<NAF>{parts}</NAF>\n'


def _tree(i):
    parts = [f"{word}/NN" for word in TOKENS[i]]
    for start, end, label in reversed(SPANS[i]):
        parts[start:end] = [f"({label} {' '.join(parts[start:end])})"]
    return f"(S\n  {'  '.join(parts)})"


def _snips():
    utterances = []
    for i in range(5):
        pieces, last = [], 0
        for start, end, label in _at(i):
            pieces += [{"text": TEXTS[i][last:start]}, {"text": TEXTS[i][start:end], "entity": label}]
            last = end
        utterances.append({"data": [*pieces, {"text": TEXTS[i][last:]}]})
    return json.dumps({"language": "en", "intents": {"say": {"utterances": utterances}}, "entities": {}})


def _viewer_page():
    names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    tags = {"feature": {"names": names, "_type": "ClassLabel"}, "_type": "Sequence"}
    words = {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    features = [
        {"feature_idx": 0, "name": "tokens", "type": words},
        {"feature_idx": 1, "name": "ner_tags", "type": tags},
    ]
    rows = [{"tokens": TOKENS[i], "ner_tags": [names.index(tag) for tag in _tags(i)]} for i in range(5)]
    rows = [{"row_idx": i, "row": row, "truncated_cells": []} for i, row in enumerate(rows)]
    return json.dumps({"features": features, "rows": rows, "num_rows_total": 5, "partial": False})


def _doc_red():
    mentions = [
        [{"name": " ".join(TOKENS[i][s:e]), "pos": [s, e], "sent_id": i, "type": label}]
        for i in range(5) for s, e, label in SPANS[i]
    ]  # fmt: skip
    return json.dumps([{"title": "x", "sents": TOKENS, "vertexSet": mentions, "labels": []}])


def _mrc():
    rows = []
    for i in range(5):
        for number, label in enumerate(("PER", "LOC")):
            places = [(s, e - 1) for s, e, own in SPANS[i] if own == label]
            rows.append({"context": TEXTS[i], "entity_label": label, "qas_id": f"{i}.{number}", "query": "who?",
                         "start_position": [s for s, _ in places], "end_position": [e for _, e in places],
                         "span_position": [f"{s};{e}" for s, e in places]})  # fmt: skip
    return json.dumps(rows)


def _of_document():
    """The spans of each sentence, which count the words of all, with what DyGIE++ says of how certain they are."""
    firsts = [sum(map(len, TOKENS[:i])) for i in range(5)]
    return [[[s + first, e + first - 1, label, 9.1, 0.9] for s, e, label in own] for first, own in zip(firsts, SPANS)]


def _answer(i):
    return json.dumps({"entities": [{"text": TEXTS[i][s:e], "type": n} for s, e, n in _at(i)]})


def _questions(i):
    turns = [{"from": "human", "value": f"Text: {TEXTS[i]}"}, {"from": "gpt", "value": "I've read this text."}]
    for label in ("PER", "LOC"):
        names = [TEXTS[i][s:e] for s, e, own in _at(i) if own == label]
        turns += [{"from": "human", "value": f"What describes {label} in the text?"}]
        turns += [{"from": "gpt", "value": json.dumps(names)}]
    return turns


def _genia(name, label):
    return f'<cons lex="x" sem="{label}">{name}</cons>'


def _rasa(name, label):
    return f'[{name}]{{"entity": "{label}"}}' if label == "LOC" else f"[{name}]({label})"


_NLU = (
    "version: 1\nnlu:\n- intent: say\n  examples: |\n"
    + "".join(f"    - {_marked(i, _rasa)}\n" for i in range(5))
    + "- synonym: Oslo\n  examples: |\n    - [Christiania](LOC)\n"
)


SAMPLES = {
    "two-columns.conll": _conll(lambda i, j, token, tag: f"{token} {tag}"),
    "conll2003.txt": "-DOCSTART- -X- -X- O\n\n" + _conll(lambda i, j, token, tag: f"{token} NN I-NP {tag}"),
    "index-first.tsv": _conll(lambda i, j, token, tag: f"{j + 1}\t{token}\t{tag}"),
    "uner.iob2": _conll(lambda i, j, token, tag: f"{j + 1}\t{token}\t{tag}\t-\t-", before="# sent_id = {i}\n"),
    "germeval.tsv": _conll(
        lambda i, j, token, tag: f"{j + 1}\t{token}\t{tag}\tO", before="#\thttp://example.org/{i}\n"
    ),
    "sentence-first.tsv": _conll(lambda i, j, token, tag: f"s{i}\t{token}\tNN\t{tag}"),
    "label-studio.conll": "-DOCSTART- -X- O\n" + _conll(lambda i, j, token, tag: f"{token} -X- _ {tag}"),
    "misc.conllu": _conll(
        lambda i, j, token, tag: "\t".join([str(j + 1), token, token, "X", *"_____", f"NER={tag}"]),
        before="# sent_id = {i}\n",
    ),
    "misc-some.conllu": _conll(
        lambda i, j, token, tag: "\t".join(
            [str(j + 1), token, token, "X", *"_____", "_" if tag == "O" else f"SpaceAfter=No|NE={tag}"]
        )
    ),
    "conll2012.conll": "#begin document (x/0001); part 000\n"
    + _conll(
        lambda i, j, token, tag: " ".join(
            ["x/0001", "0", str(j), token, "NN", "*", "-", "-", "-", "-", _brackets(i, j), "-"]
        )
    )
    + "\n#end document\n",
    "webanno.tsv": _webanno(),
    "kaggle.csv": _kaggle(),
    "stringified.csv": "tokens,ner_tags\n"
    + "".join(f'"{TOKENS[i]}","{_tags(i)}"\n' for i in range(5)),
    "array.json": json.dumps([{"tokens": TOKENS[i], "ner_tags": _tags(i)} for i in range(5)], indent=1),
    "columns.json": json.dumps({"tokens": TOKENS, "tags": [_tags(i) for i in range(5)]}),
    "pandas-table.json": json.dumps(
        {
            "schema": {"fields": [{"name": "tokens", "type": "string"}], "pandas_version": "1.4.0"},
            "data": [{"index": i, "tokens": TOKENS[i], "ner_tags": _tags(i)} for i in range(5)],
        }
    ),
    "data.json": json.dumps({"version": 1, "data": _span_rows("entities")}, indent=2),
    "prodigy.jsonl": _lines(_prodigy()),
    "doccano.jsonl": _lines([{"id": i, "text": TEXTS[i], "label": [list(span) for span in _at(i)]} for i in range(5)]),
    "doccano-relations.jsonl": _lines(
        [{**row, "relations": []} for row in _span_rows("entities", start="start_offset", end="end_offset")]
    ),
    "label-studio.json": json.dumps(_label_studio()),
    "label-studio-min.json": json.dumps([
        {"id": i, "text": TEXTS[i], "label": [
            {"start": s, "end": e, "text": TEXTS[i][s:e], "labels": [name]} for s, e, name in _at(i)
        ], "annotator": 1}
        for i in range(5)
    ]),
    "spacy-v2.json": json.dumps(_spacy_json()),
    "spacy-pairs.json": json.dumps([[TEXTS[i], {"entities": [list(span) for span in _at(i)]}] for i in range(5)]),
    "spacy-pairs.jsonl": _lines([[TEXTS[i], {"entities": [list(span) for span in _at(i)]}] for i in range(5)]),
    "pubtator.txt": _pubtator(),
    "bioc.json": json.dumps(_bioc()),
    "bioc.jsonl": _lines(_bioc()["documents"]),
    "gliner.json": json.dumps(
        [{"tokenized_text": TOKENS[i], "ner": [[s, e - 1, name] for s, e, name in SPANS[i]]} for i in range(5)]
    ),
    "pipeline.json": json.dumps(_pipeline_rows()),
    "pipeline.jsonl": _lines(_pipeline_rows()),
    "ubiai.json": json.dumps(_ubiai()),
    "argilla.jsonl": _lines(_argilla("lists")),
    "argilla-dicts.json": json.dumps(_argilla("dicts")),
    "inline.xml": "\n".join(_marked(i, lambda name, label: f"<{label}>{name}</{label}>") for i in range(5)) + "\n",
    "enamex.sgml": "\n".join(
        _marked(i, lambda name, label: f'<ENAMEX TYPE="{label}">{name}</ENAMEX>') for i in range(5)
    )
    + "\n",
    "opennlp.txt": "\n".join(_marked(i, lambda name, label: f"<START:{label}> {name} <END>") for i in range(5)) + "\n",
    # columns whose tags are not the last, or come first
    "tags-first.bio": _conll(lambda i, j, token, tag: f"{tag}\t{token}"),
    "offsets.conll": _conll(lambda i, j, token, tag: f"{tag}\t{j * 5}\t{j * 5 + 4}\t{token}"),
    "illinois.col": _conll(lambda i, j, token, tag: f"{tag}\t0\t{j}\tx\tNN\t{token}\tx\tx\t0"),
    "certain.tsv": _conll(lambda i, j, token, tag: f"{token} NN {tag} 0.99{j}"),
    "dependencies.conll": _conll(lambda i, j, token, tag: f"{j + 1}\t{token}\t{token}\tNN\t{tag}\t{j}\tdep"),
    # a sample a line
    "words.iob": "\n".join(" ".join(map("|".join, zip(TOKENS[i], _tags(i)))) for i in range(5)) + "\n",
    "wikiner.txt": "\n".join(" ".join(f"{w}|NN|{t}" for w, t in zip(TOKENS[i], _tags(i))) for i in range(5)) + "\n",
    "slashes.txt": "\n".join(
        " ".join(f"{w}/{t.rpartition('-')[2]}" for w, t in zip(TOKENS[i], _tags(i))) for i in range(5)
    )
    + "\n",
    "atis.iob": "".join(f"BOS {TEXTS[i]} EOS\tO {' '.join(_tags(i))} atis_flight\n" for i in range(5)),
    "then-tags.txt": "".join(f"{TEXTS[i]}\t{' '.join(_tags(i))}\n" for i in range(5)),
    "trees.txt": "\n".join(map(_tree, range(5))) + "\n",
    # sentences in JSON
    "stanza.json": json.dumps(
        [
            [{"id": j + 1, "text": w, "ner": t, "start_char": 0} for j, (w, t) in enumerate(zip(TOKENS[i], _tags(i)))]
            for i in range(5)
        ]
    ),
    "triples.json": json.dumps([[[w, "NN", t] for w, t in zip(TOKENS[i], _tags(i))] for i in range(5)]),
    "word-objects.json": json.dumps([[{w: t} for w, t in zip(TOKENS[i], _tags(i))] for i in range(5)]),
    "two-lists.json": json.dumps([TOKENS, [_tags(i) for i in range(5)]]),
    "corenlp.json": _core_nlp_json(),
    "corenlp.xml": _core_nlp_xml(),
    "naf.xml": _naf(),
    "viewer.json": _viewer_page(),
    "docred.json": _doc_red(),
    "mrc.json": _mrc(),
    "w2ner.json": json.dumps(
        [
            {"sentence": TOKENS[i], "ner": [{"index": list(range(s, e)), "type": n} for s, e, n in SPANS[i]]}
            for i in range(5)
        ]
    ),
    "numpy.csv": "tokens,ner_tags\n"
    + "".join(f'"{str(TOKENS[i]).replace(",", "")}","{str(_tags(i)).replace(",", "")}"\n' for i in range(5)),
    "spans-by-token.jsonl": _lines(
        [
            {"tokens": TOKENS[i], "spans": [{"token_start": s, "token_end": e - 1, "label": n} for s, e, n in SPANS[i]]}
            for i in range(5)
        ]
    ),
    "by-row.json": json.dumps({str(i): {"tokens": TOKENS[i], "ner_tags": _tags(i)} for i in range(5)}),
    "in-a-row.json": "".join(json.dumps({"tokens": TOKENS[i], "tags": _tags(i)}, indent=2) + "\n" for i in range(5)),
    "span-categoriser.jsonl": _lines(
        [
            {
                "text": TEXTS[i],
                "ents": [],
                "spans": {"sc": [{"start": s, "end": e, "label": n} for s, e, n in _at(i)]},
                "tokens": [{"id": 0, "start": 0, "end": 1}],
            }
            for i in range(5)
        ]
    ),
    "triples.jsonl": _lines([{"text": TEXTS[i], "entities": [[n, s, e] for s, e, n in _at(i)]} for i in range(5)]),
    "doccano.csv": "id,data,label\n" + "".join(f'{i},{TEXTS[i]},"{[list(s) for s in _at(i)]}"\n' for i in range(5)),
    "mentions.csv": "id,sentence,text,start,end,label\n"
    + "".join(
        f"{i},{TEXTS[i]},{TEXTS[i][s:e]},{s},{e},{n}\n" if n else f"{i},{TEXTS[i]},,,,\n"
        for i in range(5)
        for s, e, n in _at(i) or [(0, 0, "")]
    ),
    # chats
    "tool-calls.jsonl": _lines(
        [
            {
                "messages": [
                    {"role": "system", "content": "Name the entities."},
                    {"role": "user", "content": TEXTS[i]},
                    {"role": "assistant", "content": None, "tool_calls": [{"function": {"arguments": _answer(i)}}]},
                ]
            }
            for i in range(5)
        ]
    ),
    "sharegpt.json": json.dumps(
        [
            {
                "conversations": [
                    {"from": "system", "value": "Name the entities."},
                    {"from": "human", "value": TEXTS[i]},
                    {"from": "gpt", "value": _answer(i)},
                ]
            }
            for i in range(5)
        ]
    ),
    "universal-ner.json": json.dumps([{"id": i, "conversations": _questions(i)} for i in range(5)]),
    # utterances
    "rasa.yml": _NLU,
    "rasa.md": "## intent:say\n"
    + "".join(f"- {_marked(i, _rasa)}\n" for i in range(5))
    + "\n## synonym:Oslo\n- [Christiania](LOC)\n",
    "snips.json": _snips(),
    "massive.jsonl": _lines(
        [
            {"id": str(i), "utt": TEXTS[i], "annot_utt": _marked(i, lambda name, label: f"[{label} : {name}]")}
            for i in range(5)
        ]
    ),
    # a text and its spans, each under the names of a tool
    "groundtruth.manifest": _records(
        text="source", spans="job.annotations.entities",
        span={"start": "startOffset", "end": "endOffset", "label": "label"},
    ),
    "automl.jsonl": _records(
        text="text_snippet.content", spans="annotations",
        span={"start": "text_extraction.text_segment.start_offset", "end": "text_extraction.text_segment.end_offset",
              "label": "display_name"},
    ).replace('"start_offset": 0, ', ""),  # a number of 0 is left out
    "vertex.jsonl": _records(
        text="textContent", spans="textSegmentAnnotations",
        span={"start": "startOffset", "end": "endOffset", "label": "displayName"},
    ),
    "lighttag.json": _records(
        "examples", text="content", spans="annotations",
        span={"start": "start", "end": "end", "label": "tag", "words": "value"}, more={"correct": None},
    ),
    "dataturks.json": _records(
        text="content", spans="annotation",
        span={"start": "points.0.start", "last": "points.0.end", "words": "points.0.text", "label": "label.0"},
    ),
    "rasa.json": _records(
        "rasa_nlu_data.common_examples", text="text", spans="entities",
        span={"start": "start", "end": "end", "words": "value", "label": "entity"},
    ),
    "luis.json": _records(
        "utterances", text="text", spans="entities", span={"start": "startPos", "last": "endPos", "label": "entity"}
    ),
    "wit.json": _records(
        "utterances", text="text", spans="entities",
        span={"start": "start", "end": "end", "words": "body", "label": "entity"},
    ),
    "presidio.jsonl": _records(
        text="full_text", spans="spans",
        span={"start": "start_position", "end": "end_position", "words": "entity_value", "label": "entity_type"},
    ),
    "pubannotation.jsonl": _records(
        text="text", spans="denotations", span={"start": "span.begin", "end": "span.end", "label": "obj"}
    ),
    "bern2.jsonl": _records(
        text="text", spans="annotations",
        span={"start": "span.begin", "end": "span.end", "label": "obj", "words": "mention"},
    ),
    "langextract.jsonl": _records(
        text="text", spans="extractions",
        span={"start": "char_interval.start_pos", "end": "char_interval.end_pos", "label": "extraction_class"},
    ),
    "spark-nlp.jsonl": _records(
        text="text", spans="ner_chunk",
        span={"start": "begin", "last": "end", "words": "result", "label": "metadata.entity"},
        more={"annotatorType": "chunk"},
    ),
    "medcat.json": json.dumps(
        {"projects": [{"name": "p", "documents": [json.loads(line) for line in _records(
            text="text", spans="annotations", span={"start": "start", "end": "end", "words": "value", "label": "cui"},
            more={"deleted": False, "killed": False},
        ).splitlines()]}]}
    ),
    "labelbox.ndjson": _records(
        text="data_row.row_data", spans="projects.p.labels.0.annotations.objects",
        span={"start": "location.start", "last": "location.end", "label": "name"},
    ),
    "kili.jsonl": _records(
        text="content", spans="labels.0.jsonResponse.job.annotations",
        span={"start": "beginOffset", "end": "endOffset", "words": "content", "label": "categories.0.name"},
    ),
    "flair.jsonl": _records(
        text="text", spans="entities",
        span={"start": "start_pos", "end": "end_pos", "words": "text", "label": "labels.0.value"},
    ).replace('{"text"', '{"labels": [], "text"'),
    "predicted.jsonl": _lines(
        [{"doc_key": "a", "sentences": TOKENS, "predicted_ner": _of_document(), "predicted_relations": [[]] * 5}]
    ),
    "genia.xml": '<?xml version="1.0"?>\n<set>'
    + "".join(f"<sentence>{_marked(i, _genia)}</sentence>" for i in range(5))
    + "</set>\n",
}  # fmt: skip


FOLDER = Path(__file__).parent / "exports"
EXPORTS = {
    "chat-entities-object.jsonl": (3, "Marie Curie/PER, Paris/LOC, Siemens/ORG, Oslo/LOC"),
    "chat-by-type.jsonl": (2, "Angela Merkel/PER, Warsaw/LOC, BBC/ORG, London/LOC"),
    "chat-instruction.jsonl": (2, "Angela Merkel/PER, Warsaw/LOC, Oslo/LOC"),
    "pipeline-with-text.jsonl": (2, "Wolfgang/PER, Berlin/LOC"),
    "pipeline-unaggregated-with-text.json": (1, "Wolfgang Amadeus/PER, Berlin/LOC"),
    "label-studio-conll.conll": (2, "Marie Curie/PER, Paris/LOC, Siemens/ORG"),
    "label-studio-conll-one-docstart.conll": (2, "Marie Curie/PER, Oslo/LOC"),
    "label-studio-full.json": (2, "Marie Curie/PER, Paris/LOC"),
    "label-studio-full-relations-choices.json": (1, "Ada/PER, IBM/ORG"),
    "label-studio-min.json": (2, "Ada/PER, IBM/ORG"),
    "label-studio-min-first-empty.json": (2, "Ada/PER, IBM/ORG"),
    "label-studio-csv.csv": (2, "Ada/PER"),
    "gliner-json.json": (2, "Marie Curie/person, Paris/location"),
    "gliner-jsonl.jsonl": (2, "Oslo/city, Ada Lovelace/person, Charles Babbage/person"),
    "ubiai.json": (1, "Ada Lovelace/PERSON, London/GPE"),
    "ubiai-first-empty.json": (2, "Ada Lovelace/PERSON"),
    "argilla-v1-token-classification.jsonl": (2, "Ada Lovelace/PER, London/LOC"),
    "argilla-v2-responses.json": (2, "Ada Lovelace/PER, London/LOC"),
    "argilla-v2-flat.jsonl": (1, "Ada Lovelace/PER, London/LOC"),
    "argilla-v2-suggestions.json": (1, "Ada Lovelace/PER"),
    "bioc-collection.json": (2, "BRCA1/Gene, breast cancer/Disease, TP53/Gene"),
    "bioc-pubtator3-lines.jsonl": (1, "BRCA1/Gene"),
    "bioc-sentences.json": (2, "BRCA1/Gene, TP53/Gene"),
    "inline-tags.txt": (2, "Ada Lovelace/PER, London/LOC"),
    "inline-xml-document.xml": (2, "Ada Lovelace/PER, London/LOC"),
    "inline-muc.sgml": (1, "IBM/ORGANIZATION, Oslo/LOCATION, Monday/DATE"),
    "opennlp.train": (2, "Pierre Vinken/person, Vinken/person, Elsevier N . V ./organization"),
    "doccano-label.jsonl": (2, "Ada Lovelace/PER, London/LOC"),
    "doccano-first-empty.jsonl": (2, "Ada Lovelace/PER, London/LOC"),
    "doccano-relations.jsonl": (1, "Ada Lovelace/PER, London/LOC"),
    "doccano-json1.json": (2, "Ada Lovelace/PER, London/LOC"),
    "doccano-data.jsonl": (2, "Ada/PER, Oslo/LOC"),
    "doccano-old-annotations.json1": (1, "Ada Lovelace/PER, London/LOC"),
    "doccano-conll.conll": (2, "Ada Lovelace/PER, Oslo/LOC"),
    "kaggle-blank.csv": (2, "London/geo, Iran/geo, Barack Obama/per"),
    "kaggle-index.csv": (2, "London/geo, Iran/geo"),
    "kaggle-lists.csv": (2, "Iran/geo, London/geo"),
    "germeval.tsv": (2, "Universität Tübingen/ORG, Berlin/LOC"),
    "germeval-one-sentence.tsv": (1, "Berlin/LOC"),
    "germeval-short.tsv": (2, "Ada/PER, Universität Oslo/ORG"),
    "index-short.tsv": (2, "Ada/PER, Oslo/LOC"),
    "header.tsv": (2, "Ada/PER, Oslo/LOC"),
    "header-more-columns.txt": (2, "Ada/PER, New York/LOC"),
    "header-hipe.tsv": (2, "Ada/pers, Oslo/loc"),
    "kaggle.tsv": (2, "Ada/per, Oslo/geo"),
    "kaggle-semicolons.csv": (2, "Ada/per, Oslo/geo"),
    "lists.tsv": (2, "Ada/PER, Oslo/LOC"),
    "lists-quoted.tsv": (2, "Ada/PER, Oslo/LOC"),
    "uner.iob2": (2, "AP/ORG, Bush/PER"),
    "uner-short.iob2": (2, "Ada/PER, Oslo/LOC"),
    "uner-two.iob2": (2, "Obama/PER, Berlin/LOC"),
    "conll2012.v4_gold_conll": (2, "Hong Kong/GPE, Monday/DATE"),
    "conll2012-txt.txt": (2, "The U.N./ORG, Oslo/GPE"),
    "webanno33.tsv": (2, "Ada Lovelace/PER, London/LOC"),
    "webanno32.tsv": (1, "Ada/PER, IBM/ORG"),
    "webanno-stacked.tsv": (1, "University of Oslo/ORG, Oslo/LOC"),
    "webanno-subtoken.tsv": (1, "Oslo/LOC"),
    "prodigy-tokens.jsonl": (2, "Ada/PERSON, IBM/ORG"),
    "prodigy-first-without-spans.jsonl": (2, "Ada/PERSON"),
    "prodigy-no-tokens.jsonl": (1, "Ada/PERSON, IBM/ORG"),
    "spacy3-doc-json.json": (2, "Ada/PERSON, IBM/ORG"),
    "spacy3-doc-jsonl.jsonl": (1, "Ada/PERSON, IBM/ORG"),
    "spacy-annotator.json": (2, "Ada/PERSON, IBM/ORG"),
    "spacy2-train-pairs.json": (1, "Ada/PERSON, IBM/ORG"),
    "json-array-tags.json": (2, "Ada/PER, IBM/ORG"),
    "json-columns.json": (2, "Ada/PER, IBM/ORG"),
    "json-columns-pandas.json": (2, "Ada/PER, IBM/ORG"),
    "json-data-wrapper.json": (1, "Ada/PER, IBM/ORG"),
    "pubtator.PubTator": (2, "BRCA1/Gene, breast cancer/Disease, TP53/Gene"),
    "brat": (2, "Ada Lovelace/PER, London/LOC"),
    "brat-fragments": (1, "left and right arm/BODY"),
    "conllu.conllu": (1, "Ada/PER"),
    "conll2003.testb": (2, "JAPAN/LOC, Nadim Ladki/PER"),
    "conll02-latin.testb": (2, "La Coruña/LOC, EFE/ORG"),
    "brat-bom": (1, "Ada/PER"),
    "ubiai-inclusive.jsonl": (2, "Ada/PER, Bo/PER"),
    "conllu-brackets-by-type.conllu": (2, "Ada King/person, Oslo/place"),
    "conllu-brackets.conllu": (1, "Oslo/place, The mayor of Oslo/person"),
    "conllu-corefud.conllu": (1, "Ada King/person"),
    "conllu-other-name.conllu": (2, "Ada King/PER, Oslo/LOC"),
    "conllu-plus.conllup": (1, "Ada/PER"),
    "webanno-layers.tsv": (1, "Ada King/PER"),
    "webanno-slots.tsv": (1, "Ada/PER"),
    "webanno-chains.tsv": (1, "Ada/PER"),
    "webanno2.tsv": (1, "Ada/PER"),
    "argilla-v1-discarded.jsonl": (1, "Ada/PER"),
    "argilla-v2-draft.json": (1, "Ada/PER"),
    "argilla-feedback.json": (1, "Ada/PER"),
    "argilla-feedback-hub.jsonl": (1, "Ada/PER"),
    "label-studio-predictions.json": (1, "Ada/PER"),
    "label-studio-field.json": (1, "Ada/PER"),
    "label-studio-hypertext.json": (1, "Ada/PER"),
    "label-studio-completions.json": (1, "Ada/PER"),
    "label-studio-full.jsonl": (1, "Ada/PER"),
    "label-studio-min-field.json": (1, "Ada/PER"),
    "bioc-by-passage.json": (2, "Ada/PER, Oslo/LOC"),
    "bioc.xml": (1, "Ada/PER"),
    "pubtator-discontinuous.pubtator": (1, "left and right arm/BODY"),
    "prodigy-rejected-first.jsonl": (1, "Ada/PER"),
    "pipeline-other-names.jsonl": (1, "Ada/PER"),
    "dygie.jsonl": (2, "Ada/PER, Oslo/LOC"),
    "flair-columns.txt": (2, "George Washington/PER, Sam Houston/PER"),
}  # fmt: skip
REFUSED_EXPORTS = {
    "pipeline-no-text.json": "without the texts that its offsets are for. Write a row for each text",
    "pipeline-no-text-jsonl.jsonl": "without the texts that its offsets are for. Write a row for each text",
    "ontonotes-tner.json": "Give labels=",
    "conllu-no-entities.conllu": "Write them there as NER=B-PER",
    "label-studio-paragraphs.json": "Leave such results out",
    "header-unknown.tsv": "Remove the line if it names the columns",
    "azure-ner.json": "output of Azure Language Studio without the texts that its offsets are for",
}
