-- The journal: append-only, hash-chained events. Identity is (stream, seq, hash), so both sides of a
-- fork are kept. `body` is the ASCII JSON that was hashed; NULL once erased or withheld.
-- `quoted` names, between bars, the payload fields (and `field.key` inside one) whose text holds NUL or a
-- lone surrogate: SQLite cannot carry such a text raw, so views show it as a JSON string.
-- `local` marks what this file's own writer stored; merged and imported events have 0.
CREATE TABLE events (
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq > 0),
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    body TEXT CHECK (body IS NULL OR json_valid(body)),
    salt TEXT,
    digest TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL,
    quoted TEXT NOT NULL DEFAULT '',
    local INTEGER NOT NULL DEFAULT 0,
    item ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|item|') THEN body -> '$.item' ELSE body ->> '$.item' END) VIRTUAL,
    study ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|study|') THEN body -> '$.study' ELSE body ->> '$.study' END) VIRTUAL,
    step ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|step|') THEN body -> '$.step' ELSE body ->> '$.step' END) VIRTUAL,
    revision ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|revision|') THEN body -> '$.revision' ELSE body ->> '$.revision' END)
        VIRTUAL,
    participation ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|participation|') THEN body -> '$.participation'
              ELSE body ->> '$.participation' END) VIRTUAL,
    participant ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|participant|') THEN body -> '$.participant'
              ELSE body ->> '$.participant' END) VIRTUAL,
    slot ANY GENERATED ALWAYS AS
        (CASE WHEN instr(quoted, '|slot|') THEN body -> '$.slot' ELSE body ->> '$.slot' END) VIRTUAL,
    PRIMARY KEY (stream, seq, hash),
    CHECK ((body IS NULL) = (salt IS NULL))
) STRICT;

CREATE INDEX events_kind ON events (kind, stream);
CREATE INDEX events_item ON events (item, kind, revision) WHERE item IS NOT NULL;
CREATE INDEX events_study ON events (study, kind, slot) WHERE study IS NOT NULL;
CREATE INDEX events_step ON events (stream, step, kind) WHERE step IS NOT NULL;
CREATE INDEX events_participation ON events (participation, kind) WHERE participation IS NOT NULL;
CREATE INDEX events_participant ON events (participant, kind) WHERE participant IS NOT NULL;

CREATE TABLE studies (
    sha256 TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    title TEXT NOT NULL,
    study_kind TEXT NOT NULL,
    items INTEGER NOT NULL,
    loaded_at TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;

-- A study folder, byte for byte as it was loaded.
CREATE TABLE study_files (
    study TEXT NOT NULL REFERENCES studies (sha256),
    path TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (study, path)
) STRICT;

-- The one table that knows people's codes; nothing here is hashed. `name` is the study's, over all its
-- versions. Merged stations may know one code under two participants, so the code is no key.
CREATE TABLE codes (
    participant TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    code TEXT NOT NULL,
    code_key TEXT NOT NULL,
    pilot INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX codes_code ON codes (name, code_key);

-- Unfinished text, one replaceable row an ask, outside the chain. `text` is a JSON string.
CREATE TABLE drafts (
    stream TEXT NOT NULL,
    ask TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (stream, ask)
) STRICT;

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- The law of the file itself, whoever opens it ------------------------------------------------------

-- An event that is already here stays as it is, also under INSERT OR REPLACE.
CREATE TRIGGER events_are_stored_once BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE stream = NEW.stream AND seq = NEW.seq AND hash = NEW.hash)
BEGIN
    SELECT RAISE(IGNORE);
END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- Only two changes are lawful: a payload is erased, or one that was withheld comes in after all.
CREATE TRIGGER events_are_never_altered BEFORE UPDATE ON events
WHEN NOT (
    NEW.stream = OLD.stream AND NEW.seq = OLD.seq AND NEW.kind = OLD.kind AND NEW.at = OLD.at
    AND NEW.digest = OLD.digest AND NEW.previous = OLD.previous AND NEW.hash = OLD.hash
    AND NEW.local = OLD.local
    AND (
        (NEW.body IS NULL AND NEW.quoted = '' AND OLD.kind <> 'participation_erased')
        OR (
            OLD.body IS NULL AND NEW.body IS NOT NULL
            AND NOT EXISTS (
                SELECT 1 FROM events WHERE participation = OLD.stream AND kind = 'participation_erased'
            )
        )
    )
)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

-- A tombstone wins over every unerased copy, whichever arrives first. `meta` keeps the key `unclean` until
-- the old bytes are gone from the file's free space and its log too.
CREATE TRIGGER tombstones_erase AFTER INSERT ON events
WHEN NEW.kind = 'participation_erased'
BEGIN
    UPDATE events SET body = NULL, salt = NULL, quoted = ''
        WHERE stream = NEW.participation AND body IS NOT NULL AND kind <> 'participation_erased';
    DELETE FROM drafts WHERE stream = NEW.participation;
    DELETE FROM codes WHERE participant = NEW.participant;
    INSERT OR REPLACE INTO meta VALUES ('unclean', NEW.at);
END;

CREATE TRIGGER erased_events_stay_erased AFTER INSERT ON events
WHEN NEW.body IS NOT NULL AND NEW.kind <> 'participation_erased' AND EXISTS (
    SELECT 1 FROM events WHERE participation = NEW.stream AND kind = 'participation_erased'
)
BEGIN
    UPDATE events SET body = NULL, salt = NULL, quoted = ''
        WHERE stream = NEW.stream AND seq = NEW.seq AND hash = NEW.hash;
    INSERT OR REPLACE INTO meta VALUES ('unclean', NEW.at);
END;

CREATE TRIGGER erased_drafts_stay_erased AFTER INSERT ON drafts
WHEN EXISTS (SELECT 1 FROM events WHERE participation = NEW.stream AND kind = 'participation_erased')
BEGIN
    DELETE FROM drafts WHERE stream = NEW.stream;
    INSERT OR REPLACE INTO meta VALUES ('unclean', '');
END;

CREATE TRIGGER erased_codes_stay_erased AFTER INSERT ON codes
WHEN EXISTS (SELECT 1 FROM events WHERE participant = NEW.participant AND kind = 'participation_erased')
BEGIN
    DELETE FROM codes WHERE participant = NEW.participant;
    INSERT OR REPLACE INTO meta VALUES ('unclean', '');
END;

-- Tables for any SQLite tool ------------------------------------------------------------------------

-- One row a participation; `ended` is completed, declined, excluded, withdrawn, blocked, limit or NULL.
CREATE VIEW participations AS
SELECT
    opened.stream AS participation,
    opened.participant,
    opened.study,
    studies.name AS study_name,
    studies.version AS study_version,
    opened.slot,
    opened.body ->> '$.pilot' AS pilot,
    opened.at AS opened_at,
    (SELECT max(at) FROM events WHERE stream = opened.stream) AS last_at,
    (SELECT count(*) FROM events WHERE stream = opened.stream) AS events,
    (SELECT replace(replace(replace(kind, 'participation_', ''), 'consent_', ''), 'limited', 'limit') FROM events
        WHERE stream = opened.stream AND kind IN (
            'participation_completed', 'participation_excluded', 'participation_withdrawn',
            'participation_blocked', 'participation_limited', 'consent_declined')
        ORDER BY seq DESC LIMIT 1) AS ended
FROM events AS opened LEFT JOIN studies ON studies.sha256 = opened.study
WHERE opened.kind = 'participation_opened' AND opened.seq = 1 AND opened.body IS NOT NULL;

-- One row a revision; `pass` counts the annotations of an item by one person, `latest` is within it.
CREATE VIEW annotations AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.item,
    made.body ->> '$.number' AS pass,
    made.body ->> '$.role' AS role,
    made.body ->> '$.block' AS block,
    made.revision,
    row_number() OVER (
        PARTITION BY made.stream, made.item, made.body ->> '$.number'
        ORDER BY made.revision DESC, made.seq DESC, made.hash
    ) = 1 AS latest,
    made.body ->> '$.dominant' AS dominant,
    made.body -> '$.additional' AS additional,
    made.body ->> '$.confidence' AS confidence,
    CASE WHEN instr(made.quoted, '|note|') THEN made.body -> '$.note' ELSE made.body ->> '$.note' END AS note,
    made.body ->> '$.flag' AS flag,
    made.body ->> '$.elapsed_ms' AS elapsed_ms,
    (SELECT min(shown.at) FROM events AS shown
        WHERE shown.stream = made.stream AND shown.step = made.step AND shown.kind = 'step_shown'
            AND shown.revision = made.revision) AS shown_at,
    made.at AS submitted_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'annotation_submitted' AND made.body IS NOT NULL;

-- One row a practice answer. Practice never enters a figure.
CREATE VIEW training AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    made.item,
    made.body ->> '$.attempt' AS attempt,
    made.revision,
    made.body -> '$.answers' AS answers,
    made.body ->> '$.correct' AS correct,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'training_answered' AND made.body IS NOT NULL;

-- One row an answered consent form; `items` is a JSON object of true and false by consent item.
CREATE VIEW consents AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    made.kind = 'consent_given' AS given,
    made.body -> '$.items' AS items,
    made.body ->> '$.text_sha256' AS text_sha256,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind IN ('consent_given', 'consent_declined') AND made.body IS NOT NULL;

-- One row a visit; one that broke off (a crash, a closed window) has no end.
CREATE VIEW visits AS
SELECT
    opened.study,
    begun.stream AS participation,
    opened.participant,
    begun.body ->> '$.front_end' AS front_end,
    begun.body ->> '$.station' AS station,
    begun.body ->> '$.width' AS width,
    begun.body ->> '$.height' AS height,
    begun.at AS started_at,
    (SELECT ended.at FROM events AS ended
        WHERE ended.stream = begun.stream AND ended.kind = 'visit_ended' AND ended.seq > begun.seq
            AND NOT EXISTS (SELECT 1 FROM events AS again
                WHERE again.stream = begun.stream AND again.kind = 'visit_started'
                    AND again.seq > begun.seq AND again.seq < ended.seq)
        ORDER BY ended.seq LIMIT 1) AS ended_at
FROM events AS begun
LEFT JOIN events AS opened
    ON opened.stream = begun.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE begun.kind = 'visit_started' AND begun.body IS NOT NULL;

-- One row an answered question; an answer that is no plain text is JSON.
CREATE VIEW questionnaires AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    given.key AS question,
    CASE WHEN given.type = 'text' AND NOT instr(made.quoted, '|answers.' || given.key || '|')
        THEN given.value ELSE made.body -> given.fullkey END AS answer,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
JOIN json_each(made.body, '$.answers') AS given
WHERE made.kind = 'questionnaire_submitted';

-- One row an acknowledged field; a value that is no plain text is JSON.
CREATE VIEW field_answers AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    made.item,
    made.step,
    made.revision,
    made.body ->> '$.field' AS field,
    CASE WHEN json_type(made.body, '$.value') = 'text' AND NOT instr(made.quoted, '|value|')
        THEN made.body ->> '$.value' ELSE made.body -> '$.value' END AS value,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'field_answered' AND made.body IS NOT NULL;

-- One row an opened task: what ES and TTC count. `accepted_at` is the assistant turn of the first accepted
-- submission; `disposition` is NULL while the task is open.
CREATE VIEW sessions AS
SELECT
    opened.study,
    begun.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    begun.body ->> '$.session' AS session,
    begun.item,
    begun.body ->> '$.part' AS part,
    begun.body ->> '$.condition' AS condition,
    begun.body ->> '$.assistant' AS assistant,
    CASE WHEN instr(begun.quoted, '|model|') THEN begun.body -> '$.model'
        ELSE begun.body ->> '$.model' END AS model,
    ended.body ->> '$.disposition' AS disposition,
    ended.body ->> '$.turns' AS turns,
    ended.body ->> '$.declared' AS declared,
    CASE WHEN instr(ended.quoted, '|reason|') THEN ended.body -> '$.reason'
        ELSE ended.body ->> '$.reason' END AS reason,
    (SELECT min(judged.body ->> '$.turn') FROM events AS judged
        WHERE judged.stream = begun.stream AND judged.kind = 'verdict_given' AND judged.item = begun.item
            AND judged.body ->> '$.session' = begun.body ->> '$.session'
            AND judged.body ->> '$.verdict' = 'passed') AS accepted_at,
    begun.at AS started_at,
    ended.at AS ended_at
FROM events AS begun
LEFT JOIN events AS opened
    ON opened.stream = begun.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS ended
    ON ended.stream = begun.stream AND ended.kind = 'session_ended' AND ended.item = begun.item
        AND ended.body ->> '$.session' = begun.body ->> '$.session'
WHERE begun.kind = 'session_started' AND begun.body IS NOT NULL;

-- One row an attempt at a reply, with the request it replies to; a request that no call followed has no
-- `attempt`, a reply that is on its way no `status`. `saw` is JSON: what the assistant was given, by reference.
CREATE VIEW turns AS
SELECT
    opened.study,
    asked.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    asked.body ->> '$.session' AS session,
    asked.item,
    asked.body ->> '$.turn' AS turn,
    called.body ->> '$.attempt' AS attempt,
    CASE WHEN instr(asked.quoted, '|text|') THEN asked.body -> '$.text'
        ELSE asked.body ->> '$.text' END AS request,
    asked.body ->> '$.opening' AS opening,
    asked.body ->> '$.pasted' AS pasted,
    asked.body ->> '$.typing_ms' AS typing_ms,
    asked.at AS requested_at,
    CASE WHEN instr(replied.quoted, '|text|') THEN replied.body -> '$.text'
        ELSE replied.body ->> '$.text' END AS reply,
    replied.body ->> '$.status' AS status,
    called.body ->> '$.assistant' AS assistant,
    CASE WHEN instr(called.quoted, '|model|') THEN called.body -> '$.model'
        ELSE called.body ->> '$.model' END AS model,
    CASE WHEN instr(replied.quoted, '|model_served|') THEN replied.body -> '$.model_served'
        ELSE replied.body ->> '$.model_served' END AS model_served,
    called.body -> '$.parameters' AS parameters,
    CASE WHEN instr(replied.quoted, '|finish_reason|') THEN replied.body -> '$.finish_reason'
        ELSE replied.body ->> '$.finish_reason' END AS finish_reason,
    replied.body ->> '$.prompt_tokens' AS prompt_tokens,
    replied.body ->> '$.completion_tokens' AS completion_tokens,
    replied.body ->> '$.cached_tokens' AS cached_tokens,
    replied.body ->> '$.usage_estimated' AS estimated,
    replied.body ->> '$.cost' AS cost,
    replied.body ->> '$.first_token_ms' AS first_token_ms,
    replied.body ->> '$.total_ms' AS total_ms,
    called.body ->> '$.prompt_sha256' AS prompt_sha256,
    replied.body ->> '$.names_maker' AS names_maker,
    replied.body ->> '$.mentions_history' AS mentions_history,
    replied.body ->> '$.error_kind' AS error_kind,
    CASE WHEN instr(replied.quoted, '|error|') THEN replied.body -> '$.error'
        ELSE replied.body ->> '$.error' END AS error,
    CASE WHEN instr(replied.quoted, '|detail|') THEN replied.body -> '$.detail'
        ELSE replied.body ->> '$.detail' END AS detail,
    CASE WHEN instr(replied.quoted, '|client|') THEN replied.body -> '$.client'
        ELSE replied.body ->> '$.client' END AS client,
    called.body -> '$.saw' AS saw,
    called.at AS replying_at,
    replied.at AS replied_at
FROM events AS asked
LEFT JOIN events AS opened
    ON opened.stream = asked.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS called
    ON called.stream = asked.stream AND called.kind = 'reply_started' AND called.item = asked.item
        AND called.body ->> '$.session' = asked.body ->> '$.session'
        AND called.body ->> '$.turn' = asked.body ->> '$.turn'
LEFT JOIN events AS replied
    ON replied.stream = called.stream AND replied.kind = 'reply_ended' AND replied.item = called.item
        AND replied.body ->> '$.session' = called.body ->> '$.session'
        AND replied.body ->> '$.turn' = called.body ->> '$.turn'
        AND replied.body ->> '$.attempt' = called.body ->> '$.attempt'
WHERE asked.kind = 'turn_submitted' AND asked.body IS NOT NULL;

-- One row a judged reply. `submission` 0: the reply was a question, and nothing was run.
CREATE VIEW verdicts AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.turn' AS turn,
    made.body ->> '$.submission' AS submission,
    made.body ->> '$.verdict' AS verdict,
    CASE WHEN instr(made.quoted, '|detail|') THEN made.body -> '$.detail'
        ELSE made.body ->> '$.detail' END AS detail,
    made.body ->> '$.ms' AS ms,
    CASE WHEN instr(made.quoted, '|code|') THEN made.body -> '$.code'
        ELSE made.body ->> '$.code' END AS code,
    made.body ->> '$.isolation' AS isolation,
    made.at AS judged_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'verdict_given' AND made.body IS NOT NULL;

-- One row a decision of the gate (condition `gated`); `sufficient` is NULL where its fallback was taken.
CREATE VIEW gates AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.sufficient' AS sufficient,
    made.body ->> '$.highlighted' AS highlighted,
    CASE WHEN instr(made.quoted, '|text|') THEN made.body -> '$.text'
        ELSE made.body ->> '$.text' END AS text,
    CASE WHEN instr(made.quoted, '|fallback|') THEN made.body -> '$.fallback'
        ELSE made.body ->> '$.fallback' END AS fallback,
    CASE WHEN instr(made.quoted, '|raw|') THEN made.body -> '$.raw'
        ELSE made.body ->> '$.raw' END AS raw,
    made.body ->> '$.cost' AS cost,
    made.body ->> '$.total_ms' AS total_ms,
    made.at AS decided_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'gate_decided' AND made.body IS NOT NULL;

-- One row a task in which somebody answers or asks; `ending` is NULL while it is open.
CREATE VIEW clarifications AS
SELECT
    opened.study,
    begun.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    begun.body ->> '$.session' AS session,
    begun.item,
    begun.body ->> '$.seat' AS seat,
    begun.body ->> '$.assistant' AS assistant,
    CASE WHEN instr(begun.quoted, '|model|') THEN begun.body -> '$.model'
        ELSE begun.body ->> '$.model' END AS model,
    ended.body ->> '$.ending' AS ending,
    ended.body ->> '$.responses' AS responses,
    ended.body ->> '$.asked' AS asked,
    CASE WHEN instr(ended.quoted, '|reason|') THEN ended.body -> '$.reason'
        ELSE ended.body ->> '$.reason' END AS reason,
    begun.at AS started_at,
    ended.at AS ended_at
FROM events AS begun
LEFT JOIN events AS opened
    ON opened.stream = begun.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS ended
    ON ended.stream = begun.stream AND ended.kind = 'clarification_ended' AND ended.item = begun.item
        AND ended.body ->> '$.session' = begun.body ->> '$.session'
WHERE begun.kind = 'clarification_started' AND begun.body IS NOT NULL;

-- One row a response of whoever asks. `sort` is question, code, nothing, or returned (a bundle that came back); what
-- the judge made of it is in `outcome`, `gaps` and `matched`, NULL where no judge voted.
CREATE VIEW questions AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.turn' AS turn,
    CASE made.kind WHEN 'question_asked' THEN 'person' ELSE 'model' END AS asker,
    CASE WHEN made.kind = 'response_read' THEN made.body ->> '$.sort'
        WHEN made.body ->> '$.returned' THEN 'returned' ELSE 'question' END AS sort,
    CASE made.kind WHEN 'question_asked'
        THEN CASE WHEN instr(made.quoted, '|text|') THEN made.body -> '$.text' ELSE made.body ->> '$.text' END
        ELSE CASE WHEN instr(made.quoted, '|question|') THEN made.body -> '$.question'
            ELSE made.body ->> '$.question' END END AS question,
    made.body ->> '$.form' AS form,
    made.body ->> '$.both' AS both,
    made.body ->> '$.bundle' AS bundle,
    matched.body ->> '$.outcome' AS outcome,
    matched.body -> '$.gaps' AS gaps,
    matched.body -> '$.matched' AS matched,
    matched.body ->> '$.rule' AS rule,
    made.at AS asked_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS matched
    ON matched.stream = made.stream AND matched.kind = 'question_matched' AND matched.item = made.item
        AND matched.body ->> '$.session' = made.body ->> '$.session'
        AND matched.body ->> '$.turn' = made.body ->> '$.turn'
        AND NOT coalesce(made.body ->> '$.returned', 0)
WHERE made.kind IN ('response_read', 'question_asked') AND made.body IS NOT NULL;

-- One row a reply to a question, of a person, the protocol or a model.
CREATE VIEW answers AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.turn' AS turn,
    made.body ->> '$.by' AS answerer,
    made.body ->> '$.decision' AS decision,
    made.body ->> '$.gap' AS gap,
    CASE WHEN instr(made.quoted, '|text|') THEN made.body -> '$.text'
        ELSE made.body ->> '$.text' END AS text,
    made.body ->> '$.own_words' AS own_words,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'question_answered' AND made.body IS NOT NULL;

-- One row a vote of the judge on a pair of a key question and an asked one; `vote` is NULL where it said neither.
CREATE VIEW votes AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.turn' AS turn,
    made.body ->> '$.gap' AS gap,
    made.body ->> '$.sample' AS sample,
    made.body ->> '$.vote' AS vote,
    CASE WHEN instr(made.quoted, '|text|') THEN made.body -> '$.text'
        ELSE made.body ->> '$.text' END AS text,
    made.body ->> '$.judge' AS judge,
    CASE WHEN instr(made.quoted, '|model|') THEN made.body -> '$.model'
        ELSE made.body ->> '$.model' END AS model,
    CASE WHEN instr(made.quoted, '|model_served|') THEN made.body -> '$.model_served'
        ELSE made.body ->> '$.model_served' END AS model_served,
    made.body ->> '$.cost' AS cost,
    made.body ->> '$.total_ms' AS total_ms,
    made.at AS voted_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'vote_cast' AND made.body IS NOT NULL;

-- One row a decision of a matcher on an asked question; `latest` is each person's own. `matches` is a JSON list.
CREATE VIEW matches AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.item,
    CASE WHEN instr(made.quoted, '|task|') THEN made.body -> '$.task'
        ELSE made.body ->> '$.task' END AS task,
    made.revision,
    row_number() OVER (
        PARTITION BY made.stream, made.item ORDER BY made.revision DESC, made.seq DESC, made.hash
    ) = 1 AS latest,
    made.body -> '$.matches' AS matches,
    made.body -> '$.order' AS shown_order,
    made.body ->> '$.elapsed_ms' AS elapsed_ms,
    (SELECT min(shown.at) FROM events AS shown
        WHERE shown.stream = made.stream AND shown.step = made.step AND shown.kind = 'step_shown'
            AND shown.revision = made.revision) AS shown_at,
    made.at AS submitted_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'question_labelled' AND made.body IS NOT NULL;

-- One row a decision; `latest` is each adjudicator's own. Adjudicated labels never enter kappa.
CREATE VIEW adjudications AS
SELECT
    made.study,
    made.item,
    CASE WHEN instr(made.quoted, '|adjudicator|') THEN made.body -> '$.adjudicator'
        ELSE made.body ->> '$.adjudicator' END AS adjudicator,
    row_number() OVER (
        PARTITION BY made.study, made.item, made.body -> '$.adjudicator'
        -- A stream keeps its order where the station's clock was put back.
        ORDER BY (SELECT max(before.at) FROM events AS before
            WHERE before.stream = made.stream AND before.seq <= made.seq) DESC,
            made.stream DESC, made.seq DESC, made.hash DESC
    ) = 1 AS latest,
    made.body ->> '$.dominant' AS dominant,
    made.body -> '$.additional' AS additional,
    CASE WHEN instr(made.quoted, '|reason|') THEN made.body -> '$.reason'
        ELSE made.body ->> '$.reason' END AS reason,
    made.body -> '$.labels' AS labels,
    made.body ->> '$.sampled_agreement' AS sampled_agreement,
    made.body ->> '$.mode' AS mode,
    made.at AS decided_at
FROM events AS made
WHERE made.kind = 'annotation_adjudicated' AND made.body IS NOT NULL;

-- One row a look at a figure before planned N.
CREATE VIEW looks AS
SELECT
    made.study,
    made.body ->> '$.figure' AS figure,
    CASE WHEN instr(made.quoted, '|reason|') THEN made.body -> '$.reason'
        ELSE made.body ->> '$.reason' END AS reason,
    made.body ->> '$.completed' AS completed,
    made.body ->> '$.planned' AS planned,
    made.at AS looked_at
FROM events AS made
WHERE made.kind = 'look' AND made.body IS NOT NULL;
