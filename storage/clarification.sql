-- Views of clarification studies, and those of every kind in which questions are asked and answered. Each leaves
-- out what was erased or withheld.

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
CREATE VIEW clarifying_questions AS
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
CREATE VIEW clarifying_answers AS
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

-- Until now `questions` and `answers` were those of interviews alone.
DROP VIEW questions;
DROP VIEW answers;

-- One row a question that an agent put; `options` is a JSON list, whose first is A.
CREATE VIEW interview_questions AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.round' AS round,
    made.body ->> '$.sort' AS sort,
    CASE WHEN instr(made.quoted, '|key|') THEN made.body -> '$.key' ELSE made.body ->> '$.key' END AS key,
    CASE WHEN instr(made.quoted, '|question|') THEN made.body -> '$.question'
        ELSE made.body ->> '$.question' END AS question,
    made.body -> '$.options' AS options,
    made.body ->> '$.single' AS single,
    CASE WHEN instr(made.quoted, '|why|') THEN made.body -> '$.why' ELSE made.body ->> '$.why' END AS why,
    made.at AS asked_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'question_put' AND made.body IS NOT NULL;

-- One row an answered question of an interview; `picked` is a JSON list of letters, empty with own words, or
-- where the person does not know.
CREATE VIEW interview_answers AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.round' AS round,
    made.body -> '$.picked' AS picked,
    CASE WHEN instr(made.quoted, '|own_words|') THEN made.body -> '$.own_words'
        ELSE made.body ->> '$.own_words' END AS own_words,
    made.body ->> '$.unknown' AS unknown,
    made.body ->> '$.active_ms' AS active_ms,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'round_answered' AND made.body IS NOT NULL;

-- Every question that was asked: in an interview about a project, or about a task. What a kind does not have is NULL.
CREATE VIEW questions AS
SELECT
    study, participation, participant, pilot, session, item,
    turn, NULL AS round, asker, sort, NULL AS key, question, NULL AS options, NULL AS single, NULL AS why,
    form, both, bundle, outcome, gaps, matched, rule, asked_at
FROM clarifying_questions
UNION ALL
SELECT
    study, participation, participant, pilot, session, item,
    NULL, round, 'model', sort, key, question, options, single, why,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, asked_at
FROM interview_questions;

-- Every answer to such a question; `own_words` is empty where a person did not write it. What a kind does not have
-- is NULL.
CREATE VIEW answers AS
SELECT
    study, participation, participant, pilot, session, item,
    turn, NULL AS round, answerer, decision, gap, text, NULL AS picked,
    CASE WHEN own_words THEN text ELSE '' END AS own_words, NULL AS unknown, NULL AS active_ms, answered_at
FROM clarifying_answers
UNION ALL
SELECT
    study, participation, participant, pilot, session, item,
    NULL, round, 'person', NULL, NULL, NULL, picked, own_words, unknown, active_ms, answered_at
FROM interview_answers;
