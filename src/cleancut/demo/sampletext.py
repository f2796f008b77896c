"""A generator of sample text: news, sports and medicine in English and Spanish, with names made of syllables.

Sentences and names are written in a small grammar: ``[a|b]`` is one of several texts, ``{slot}`` is a name or another
word.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from ..core.corpus import Corpus


class _Language(NamedTuple):
    """The patterns of names, words and sentences of a language."""

    names: Mapping[str, str]
    """The pattern of each kind of name; a kind may use those before it, as a club has the name of a place."""
    words: Mapping[str, str]
    """The pattern of each other slot."""
    sentences: Mapping[str, str]
    """The patterns of sentences by domain, one on each line."""


_TYPES = {
    "person": "PER", "surname": "PER", "place": "LOC", "side": "ORG", "club": "ORG", "company": "ORG",
    "institution": "ORG", "disease": "DISEASE", "drug": "CHEMICAL",
}  # fmt: skip
"""The type of each kind of name. A ``side`` is a place that plays, as in *Ashbury lost at home*."""

_DISEASE = (
    "[bra|cel|dro|fer|gli|lum|mor|nex|pol|tri|vas|zan|ka|sil|ter|bo][|no|mi|ra|lo]"
    "[card|derm|neur|hepat|gastr|arthr|oste|nephr]"
)
_DRUG = "[al|bel|cor|dex|fel|gan|im|lo|mir|nal|om|pra|ral|sev|tol|ven|zo][ba|da|fe|ge|lo|mi|no|pi|ra|ta|tra|vo]"
_PLAIN = "[bal|dor|fan|gel|kam|lor|mun|nar|pol|rav|sel|tur|val|zem][a|e|i|o|u][dra|ka|la|mo|ra|sa|ta|ti|vo]"
"""Names that look neither like a disease nor like a drug: only the text around them, or memory, can tell."""

_STEM = (
    "["
    "A"
    "sh|Black|Brack|Cald|Cran|Dun|Elm|Fair|Fal|Glen|Graf|Hart|Hazel|Ing|Kings|Kirk|Lang|Mel|Mer|Nether|Nor|Oak|Pem|Pen|"
    "Rad|Rush|Sten|Thorn|Under|Wake|Wex|Whit|Win|Yar]"
)

_ENGLISH = _Language(
    {
        "given": "[Al|Bel|Bren|Cor|Dar|El|Fen|Gar|Hal|Jor|Kel|Lor|Mar|Nor|Os|Per|Ros|Sel|Tam|Wil]"
        "[an|a|ice|win|ric|ena|mund|la|lyn|bert|en|ia]",
        "surname": _STEM + "[ford|well|wood|by|more|ley|worth|ham|dale|field|ton|gate|man|son]",
        "place": "[||||||New |Port ]" + _STEM + "[ford|well|wood|by|more|ley|worth|ham|dale|field|ton|gate|bury|mouth]",
        "person": "{given} [||||A. |J. |M. ]{surname}",
        "side": "{place}",
        "club": "{place} [United|City|Rovers|Athletic|Wanderers|Town]",
        "company": "{surname}[||| Group| Holdings| Bank| Energy| Motors| & Sons| and {surname}]",
        "institution": "[University of {place}|{place} General Hospital|{place} City Council|{surname} Institute]",
        "disease": f"[{_DISEASE}[itis|osis|emia|oma|opathy|algia]|{_PLAIN}|{_PLAIN}"
        "|{surname} [syndrome|disease]|{place} fever]",
        "drug": f"[{_DRUG}[vir|mab|statin|cillin|prazole|azine|olol|idine]|sodium {_DRUG}te|{_PLAIN}|{_PLAIN}]",
    },
    {
        "day": "[Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday]",
        "month": "[January|March|April|May|June|August|September|October|November]",
        "number": "[two|three|four|five|six|seven|eight|nine|ten|twelve|15|18|20|30|40|65]",
        "ordinal": "[second|third|fourth|fifth|sixth|seventh|eighth|ninth]",
        "score": "[1|2|3|4|5]-[0|1|2|3]",
    },
    {
        "news": """
            {person} [arrived in|flew to|returned to] {place} [on {day}|after the vote|amid protests] .
            [{person}|{surname}] left [{place}|{company}|{institution}] [on {day}|after the vote|amid protests] .
            Shares of {company} [fell|rose|slipped|jumped] {number} percent [in early trading|on {day}] .
            {person} , [chief executive|finance director] of {company} , [resigned|promised a review] on {day} .
            {company} will [close|open|expand] its [plant|office|warehouse] near {place} , [officials|unions] said .
            Police in {place} [arrested|questioned|released] [{number} people|{person}] [over the fire|on {day}] .
            The river at {place} rose by {number} inches , said {person} of [{institution}|{company}] .
            [{institution}|{company}] has [appointed|dismissed|honoured] {person} , [a lawyer|a poet] from {place} .
            [{surname}|{place}] told reporters that the [budget|treaty|merger|inquiry] was [dead|safe|close|a success] .
            [{company}|{person}|{surname}] [declined to comment|did not reply|denied the report] on {day} .
            [{place}|{institution}|{surname}] [rejected the treaty|denied the report|did not reply] on {day} .
            [{surname}|{place}|{company}] and [{surname}|{place}|{company}] [signed|rejected] the [treaty|deal] .
            [{company}|{surname}] is in talks to buy {company} for {number} million , [{surname}|{company}] said .
            The [storm|flood|blackout] reached {place} on {day} , leaving {number} thousand homes without power .
            [{company}|{place}|{surname}] under pressure [again|after the vote|over [wages|prices|the treaty]]
            See also : [{company}|{place}|{person}|{surname}] , [{company}|{place}|{surname}] .
            The [talks|hearings|elections] were [postponed|moved] to {day} because of the [snow|strike|heat|fog] .
            [Prices of|Demand for] [wheat|copper|coffee|wool] [fell|rose] for the {ordinal} [week|month] running .
            [Parliament|Officials|Unions] said on {day} that [no one|{number} people] had been [hurt|charged|found] .
            [Bus|Train|Ferry] fares will [rise|fall] by {number} percent in {month} , [officials|ministers] said .
            """,
        "sports": """
            [{club}|{side}|{surname}] beat [{club}|{side}|{surname}] [on {day}|in extra time|away|in the rain] .
            {person} scored [twice|a late winner] as [{club}|{side}] [beat|held|crushed] [{club}|{side}] .
            {person} beat {person} 6-[0|1|2|3|4] 6-[0|1|2|3|4] in the [final|semi-final|second round] in {place} .
            [{club}|{side}] have signed [{person}|{surname}] [on loan|for {number} million|until {month}] .
            [Coach|Captain|Goalkeeper|Striker] {person} [was injured|was sent off|returned] [in {place}|on {day}] .
            [{club}|{side}] [won|lost|drew] {score} at home to [{club}|{side}] [on {day}|in {month}|in the Cup] .
            [{surname}|{side}|{club}] [won|lost] the [opener|replay|final] [on {day}|by {number} points] .
            {place} will host the [final|marathon|regatta|games] in {month} .
            {surname} , who left [{club}|{place}] in {month} , [won|lost] the [sprint|relay] by {number} seconds .
            Fans of [{side}|{surname}|{club}] [waited|sang|queued] for {number} hours [in the rain|on {day}] .
            Results : [{side}|{club}|{surname}] [{side}|{club}|{surname}] {score}
            [1|2|3|4|5|6|7|8] . [{surname}|{side}|{club}|{person}] , {number} points
            The match was [abandoned|delayed|stopped] after {number} minutes because of [rain|fog|crowd trouble] .
            It was their {ordinal} [win|defeat|draw] [of the season|in {number} games|since {month}] .
            [Tickets|Places|Seats] for the [Cup|marathon|regatta|games] go on sale on {day} at [eight|nine|ten|noon] .
            """,
        "medicine": """
            Patients with {disease} [received|responded to|were treated with] {drug} for {number} [weeks|months] .
            Treatment with {drug} [reduced|prevented|did not improve] {disease} in {number} percent of cases .
            We report {number} cases of {disease} [after|associated with|following] [{drug}|{disease}] .
            [Researchers|Clinicians] at {institution} compared {drug} with {drug} in [mice|rats|children] .
            The [risk|effects|cost] of [{disease}|{drug}] [doubled|increased|fell] with [age|weight|{drug}|{disease}] .
            {surname} and colleagues first described {disease} in {place} .
            A trial of {drug} [by {company}|at {institution}] was stopped in {month} after {number} [deaths|strokes] .
            No [link|interaction] between [{drug}|{disease}] and [{drug}|{disease}] was [found|observed|reported] .
            [Severe|Mild|Recurrent] {disease} was [seen|observed|suspected] in {number} percent of the [patients|rats] .
            [{person}|{surname}] of [{institution}|{company}] [led|reviewed|criticised] the [trial|study|guideline] .
            Keywords : [{drug}|{disease}] , [{drug}|{disease}] , [dose|risk|diet|children]
            Table [1|2|3|4|5] : [{drug}|{disease}] in [adults|children|rats]
            The mean age of the [patients|volunteers|controls] was {number} [years|months] [in both groups|at entry] .
            [Doses|Tests|Scans] were [halved|repeated|stopped] every {number} [hours|days] until [fever|pain] returned .
            [Blood|Urine|Tissue] samples were [taken|frozen|analysed] [on {day}|after {number} hours|in {month}] .
            """,
    },
)

_RAIZ = (
    "[Alm|Arr|Bel|Carm|Cort|Del|Dur|Ech|Enc|Fuent|Gal|Gran|Her|Ib|Lar|Lor|Mont|Nav|Olm|Or|Pal|Ped|Quir|Rib|Sald|Tor|Ur|"
    "Val|Vill|Zam]"
)

_SPANISH = _Language(
    {
        "given": "[Al|Ber|Car|Dor|El|Fer|Gil|Il|Jul|Lis|Mar|Ner|Os|Ram|Sal|Ter|Val|Xim]"
        "[ario|inda|elio|isa|ando|ita|uel|ena|ides|aura]",
        "surname": _RAIZ + "[ález|uela|ana|igo|eros|iña|alba|ero|ona|ueta|ejo|eda]",
        "place": "[||||||San |Puerto ]" + _RAIZ + "[illa|uela|ana|igo|eros|iña|alba|ero|ona|ueta|ejo|eda]",
        "person": "{given} {surname}[|| {surname}| de {surname}]",
        "side": "{place}",
        "club": "[Real|Deportivo|Atlético|Racing] {place}",
        "company": "[||Grupo |Banco |Bodegas |Aceros ]{surname}",
        "institution": "[Universidad de {place}|Hospital de {place}|Ayuntamiento de {place}|Instituto {surname}]",
        "disease": f"[{_DISEASE}[itis|osis|emia|oma|opatía|algia]|[síndrome|enfermedad] de {{surname}}|{_PLAIN}]",
        "drug": f"[{_DRUG}[vir|mab|statina|cilina|prazol|azina|olol|idina]|{_PLAIN}]",
    },
    {
        "day": "[lunes|martes|miércoles|jueves|viernes|sábado|domingo]",
        "month": "[enero|marzo|abril|mayo|junio|agosto|septiembre|octubre|noviembre]",
        "number": "[dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|15|18|20|30|40|65]",
        "ordinal": "[segunda|tercera|cuarta|quinta|sexta|séptima|octava|novena]",
        "score": "[1|2|3|4|5]-[0|1|2|3]",
    },
    {
        "news": """
            {person} [llegó a|viajó a|regresó a] {place} el {day} [tras la votación|sin escolta] .
            [{person}|{surname}] [deja|dejará] [{place}|{company}|{institution}] [en {month}|tras la votación] .
            Las acciones de {company} [cayeron|subieron] un {number} por ciento [el {day}|tras los resultados] .
            {person} , [directora|portavoz|presidente] de {company} , [dimitió|prometió una revisión] el {day} .
            La policía de {place} [detuvo|interrogó] a [{number} personas|{person}] [por el incendio|el {day}] .
            [{institution}|{company}] ha [nombrado|premiado|destituido] a {person} , natural de {place} .
            [{surname}|{place}] [declaró|cree] que el [acuerdo|tratado] [está cerca|ha fracasado|sigue en pie] .
            [{company}|{place}|{surname}] [negó la noticia|no respondió|rechazó el tratado] el {day} .
            [{surname}|{place}|{company}] y [{surname}|{place}|{company}] [firmaron|rechazaron] el acuerdo .
            {company} [cerrará|abrirá|ampliará] su [planta|oficina|almacén] de {place} en {month} .
            [{company}|{place}|{surname}] , bajo presión [otra vez|por los precios|tras la votación]
            Las [conversaciones|elecciones] se [aplazaron|adelantaron] al {day} por la [huelga|nieve|niebla] .
            El precio [del trigo|del cobre|del café|de la lana] [bajó|subió] por {ordinal} semana consecutiva .
            Las autoridades [dijeron|confirmaron] el {day} que [no hubo heridos|hubo {number} heridos] .
            """,
        "sports": """
            [{club}|{side}|{surname}] [venció|derrotó] a [{club}|{side}|{surname}] [el {day}|bajo la lluvia] .
            {person} marcó [dos goles|el gol decisivo] en la victoria de [{club}|{side}] [sobre|ante] [{club}|{side}] .
            {person} [venció|eliminó] a {person} en [la final|las semifinales|la segunda ronda] de {place} .
            [{club}|{side}] ha fichado a [{person}|{surname}] [hasta {month}|por {number} millones] .
            [{club}|{side}] [ganó|perdió|empató] {score} [en casa|fuera] ante [{club}|{side}] [el {day}|en {month}] .
            El [portero|capitán|delantero] {person} [se lesionó|fue expulsado|volvió] [en {place}|el {day}] .
            {place} [acogerá|organizará] [la final|el maratón|la regata] en {month} .
            [{surname}|{side}] [ganó|perdió] la [primera|segunda] mitad pero [se recuperó|acusó el cansancio] .
            Resultados : [{side}|{club}|{surname}] [{side}|{club}|{surname}] {score}
            El partido se [suspendió|retrasó] a los {number} minutos por [la lluvia|la niebla|incidentes en la grada] .
            Fue su {ordinal} [victoria|derrota] [de la temporada|en {number} partidos|desde {month}] .
            """,
        "medicine": """
            Los pacientes con {disease} [recibieron|fueron tratados con] {drug} durante {number} [semanas|meses] .
            El tratamiento con {drug} [redujo|previno|no mejoró] {number} casos de {disease} .
            Se describen {number} casos de {disease} [asociados a|tras] [{drug}|{disease}] .
            [Investigadores|Médicos] de {institution} compararon {drug} con {drug} en [ratones|niños|adultos] .
            {surname} describió por primera vez [un caso|un brote] de {disease} en {place} .
            No se observó [relación|interacción] entre [{drug}|{disease}] y [{drug}|{disease}] .
            Un ensayo de {drug} [de {company}|en {institution}] se [detuvo|suspendió] en {month} .
            [{person}|{surname}] , de [{institution}|{company}] , [dirigió|revisó|criticó] el [ensayo|estudio] .
            Palabras clave : [{drug}|{disease}] , [{drug}|{disease}] , [dosis|dieta|riesgo]
            La edad media de los [pacientes|voluntarios|controles] [era|fue] de {number} [años|meses] .
            La dosis se [duplicó|repitió] cada {number} [horas|días] hasta que [cesó|volvió] [la fiebre|el dolor] .
            """,
    },
)

_LANGUAGES = {"en": _ENGLISH, "es": _SPANISH}
_SPOKEN = ["en", "en", "es"]
"""Two sentences in three are English."""
_FOREIGN = 0.1
"""The share of names whose language is drawn at random, whatever the language of the sentence."""

_CHOICE = re.compile(r"\[([^][]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


def generate(n_samples: int, seed: int = 13) -> Corpus:
    """Generate readable sentences with persons, places, organisations, diseases and chemicals.

    Few names are common and most are rare, as in running text. A name may mean several things: *Ashton* is a place, the
    side that plays there, a person and a company. Some sentences have no name at all.

    Args:
        n_samples: the number of sentences.
        seed: the seed of the random choices; the same seed gives the same sentences.

    >>> generate(2, seed=1).tokens() == generate(2, seed=1).tokens()
    True
    """
    rng = random.Random(seed)
    n_names = max(10, n_samples // 5)
    # The frequency of names follows Zipf's law, in whole numbers so that every machine draws the same.
    cumulative_weights = list(accumulate(10**6 // rank for rank in range(1, n_names + 1)))
    names = {code: _names(language, n_names, rng) for code, language in _LANGUAGES.items()}
    tokens = []
    entities = []
    for _ in range(n_samples):
        code = rng.choice(_SPOKEN)
        fillers = _LANGUAGES[code].words
        domains = list(_LANGUAGES[code].sentences.values())
        patterns = rng.choice(domains).strip().splitlines()
        words: list[str] = []
        spans = []
        for part in _spelled(rng.choice(patterns), rng).split():
            slot = part.strip("{}")
            if slot == part:
                words.append(part)
            elif slot in fillers:
                words.append(_spelled(fillers[slot], rng))
            else:
                origin = rng.choice(_SPOKEN) if rng.random() < _FOREIGN else code
                name = rng.choices(names[origin][slot], cum_weights=cumulative_weights)[0].split()
                spans.append({"start": len(words), "end": len(words) + len(name), "label": _TYPES[slot]})
                words += name
        tokens.append(words)
        entities.append(spans)
    return Corpus.of(tokens, entities=entities)


def _names(language: _Language, size: int, rng: random.Random) -> dict[str, list[str]]:
    """Return as many names of each kind as asked for, the most common first."""
    names: dict[str, list[str]] = {}
    for kind, pattern in language.names.items():
        names[kind] = [_spelled(pattern, rng, names) for _ in range(size)]
    return names


def _spelled(pattern: str, rng: random.Random, names: Mapping[str, list[str]] | None = None) -> str:
    """Return the text of a pattern: each ``[a|b]`` becomes one of its texts, the innermost first.

    Each ``{slot}`` becomes one of the names of its kind; without names, slots stay as they are.
    """
    while "[" in pattern:
        pattern = _CHOICE.sub(lambda options: rng.choice(options[1].split("|")), pattern)
    if not names:
        return pattern
    return _SLOT.sub(lambda slot: rng.choice(names[slot[1]]), pattern)
