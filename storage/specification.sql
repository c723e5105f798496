-- Tables of specification studies for any SQLite tool: migration 2 -----------------------------------

-- One row an agent's interview about one project; `ended_by` is NULL while it goes on, `frozen_at` before the
-- sheet is frozen or the last predictions are made.
CREATE VIEW interviews AS
SELECT
    opened.study,
    begun.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    begun.body ->> '$.session' AS session,
    begun.item,
    begun.body ->> '$.number' AS number,
    begun.body ->> '$.period' AS period,
    begun.body ->> '$.task' AS task,
    begun.body ->> '$.agent' AS agent,
    begun.body ->> '$.design' AS design,
    begun.body ->> '$.assistant' AS assistant,
    CASE WHEN instr(begun.quoted, '|model|') THEN begun.body -> '$.model'
        ELSE begun.body ->> '$.model' END AS model,
    begun.body ->> '$.budget' AS budget,
    begun.body ->> '$.truth' AS truth,
    ended.body ->> '$.rounds' AS rounds,
    ended.body ->> '$.by' AS ended_by,
    CASE WHEN instr(ended.quoted, '|why|') THEN ended.body -> '$.why' ELSE ended.body ->> '$.why' END AS ended_why,
    begun.at AS started_at,
    ended.at AS ended_at,
    (SELECT max(made.at) FROM events AS made
        WHERE made.stream = begun.stream AND made.item = begun.item
            AND made.body ->> '$.session' = begun.body ->> '$.session'
            AND (made.kind = 'sheet_frozen'
                OR made.kind = 'predictions_made' AND made.body ->> '$.final')) AS frozen_at
FROM events AS begun
LEFT JOIN events AS opened
    ON opened.stream = begun.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS ended
    ON ended.stream = begun.stream AND ended.kind = 'interview_ended' AND ended.item = begun.item
        AND ended.body ->> '$.session' = begun.body ->> '$.session'
WHERE begun.kind = 'project_opened' AND begun.body IS NOT NULL;

-- One row a question that an agent put; `options` is a JSON list, whose first is A.
CREATE VIEW questions AS
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
CREATE VIEW answers AS
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

-- One row a proposal in a person's own words.
CREATE VIEW proposals AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.item,
    CASE WHEN instr(made.quoted, '|text|') THEN made.body -> '$.text' ELSE made.body ->> '$.text' END AS text,
    made.body ->> '$.active_ms' AS active_ms,
    made.at AS locked_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind = 'proposal_locked' AND made.body IS NOT NULL;

-- One row an answer of the ground truth (`phase` truth), or of the part that was asked again (retest).
CREATE VIEW ground_truth AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.item,
    CASE made.kind WHEN 'truth_locked' THEN 'truth' ELSE 'retest' END AS phase,
    given.key AS field,
    CASE WHEN instr(made.quoted, '|answers.' || given.key || '|') THEN made.body -> given.fullkey
        ELSE given.value END AS value,
    made.revision,
    made.at AS answered_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
JOIN json_each(made.body, '$.answers') AS given
WHERE made.kind IN ('truth_locked', 'truth_retested');

-- One row a predicted checklist answer; `final` 0: a silent prediction at a checkpoint.
CREATE VIEW predictions AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    made.body ->> '$.rounds' AS rounds,
    made.body ->> '$.final' AS final,
    given.key AS key,
    given.value AS predicted,
    made.at AS predicted_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
JOIN json_each(made.body, '$.predictions') AS given
WHERE made.kind = 'predictions_made';

-- One row a section of a sheet: as it was frozen and rated (author agent), and as the person left it (author
-- participant). `statements` is JSON: id, text and grounds of each; NULL in an edited sheet. The sheet before the
-- agent's own review is in the export.
CREATE VIEW spec_sections AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    CASE made.kind WHEN 'sheet_frozen' THEN 'agent' ELSE 'participant' END AS author,
    made.kind = 'sheet_frozen' AS frozen,
    section.key AS section,
    CASE
        WHEN made.kind = 'sheet_frozen' AND instr(made.quoted, '|sheet|') THEN section.value
        WHEN made.kind = 'sheet_frozen' THEN coalesce((
            SELECT group_concat('- ' || (one.value ->> '$.text'), char(10)) FROM json_each(section.value) AS one
        ), '')
        WHEN instr(made.quoted, '|sections.' || section.key || '|') THEN made.body -> section.fullkey
        ELSE section.value
    END AS text,
    CASE made.kind WHEN 'sheet_frozen' THEN section.value END AS statements,
    made.at AS made_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
JOIN json_each(made.body, CASE made.kind WHEN 'sheet_frozen' THEN '$.sheet.sections' ELSE '$.sections' END) AS section
WHERE made.kind IN ('sheet_frozen', 'sheet_edited');

-- One row a rating of a frozen sheet: a criterion (`score` 1 to 5) or a requirement (`fared` met, partly,
-- contradicted or absent). `rater` is participant, or the name of a judge.
CREATE VIEW ratings AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.body ->> '$.session' AS session,
    made.item,
    coalesce(made.body ->> '$.judge', 'participant') AS rater,
    CASE WHEN made.kind = 'requirements_checked' OR given.path = '$.requirements' THEN 'requirement'
        ELSE 'criterion' END AS sort,
    given.key AS key,
    CASE WHEN made.kind <> 'requirements_checked' AND given.path <> '$.requirements' THEN given.value END AS score,
    CASE WHEN made.kind = 'requirements_checked' OR given.path = '$.requirements' THEN given.value END AS fared,
    CASE
        WHEN instr(made.quoted, '|answers.' || given.key || '.reason|')
            THEN made.body -> ('$.answers."' || given.key || '.reason"')
        WHEN made.kind = 'sheet_rated' THEN made.body ->> ('$.answers."' || given.key || '.reason"')
        WHEN instr(made.quoted, '|reasons.' || given.key || '|') THEN made.body -> ('$.reasons."' || given.key || '"')
        WHEN given.path = '$.scores' THEN coalesce(made.body ->> ('$.reasons."' || given.key || '"'), '')
        ELSE ''
    END AS reason,
    made.revision,
    made.at AS rated_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
JOIN json_tree(made.body) AS given ON given.path IN ('$.answers', '$.scores', '$.requirements')
WHERE made.kind IN ('sheet_rated', 'requirements_checked', 'sheet_judged') AND given.key NOT LIKE '%.reason';

-- One row a blind comparison of two frozen sheets; `preferred` is left, right, tie, or NULL where a judge gave no
-- usable answer.
CREATE VIEW comparisons AS
SELECT
    opened.study,
    made.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    made.item,
    coalesce(made.body ->> '$.judge', 'participant') AS rater,
    made.body ->> '$.left' AS "left",
    made.body ->> '$.right' AS "right",
    made.body ->> '$.preferred' AS preferred,
    CASE WHEN instr(made.quoted, '|reason|') THEN made.body -> '$.reason'
        ELSE made.body ->> '$.reason' END AS reason,
    made.revision,
    made.at AS compared_at
FROM events AS made
LEFT JOIN events AS opened
    ON opened.stream = made.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
WHERE made.kind IN ('sheets_compared', 'pair_judged') AND made.body IS NOT NULL;

-- One row a call of an agent; one that is under way has no `standing`. `answer`, `replies`, `saw` (numbers of
-- events of the stream) and `dropped` are JSON.
CREATE VIEW calls AS
SELECT
    opened.study,
    called.stream AS participation,
    opened.participant,
    opened.body ->> '$.pilot' AS pilot,
    called.body ->> '$.session' AS session,
    called.item,
    called.body ->> '$.call' AS call,
    called.body ->> '$.attempt' AS attempt,
    answered.body ->> '$.standing' AS standing,
    answered.body -> '$.answer' AS answer,
    answered.body -> '$.replies' AS replies,
    CASE WHEN instr(answered.quoted, '|trouble|') THEN answered.body -> '$.trouble'
        ELSE answered.body ->> '$.trouble' END AS trouble,
    CASE WHEN instr(answered.quoted, '|error|') THEN answered.body -> '$.error'
        ELSE answered.body ->> '$.error' END AS error,
    called.body ->> '$.assistant' AS assistant,
    CASE WHEN instr(called.quoted, '|model|') THEN called.body -> '$.model'
        ELSE called.body ->> '$.model' END AS model,
    called.body -> '$.parameters' AS parameters,
    answered.body ->> '$.cost' AS cost,
    answered.body ->> '$.total_ms' AS total_ms,
    called.body ->> '$.prompt_sha256' AS prompt_sha256,
    called.body -> '$.dropped' AS dropped,
    called.body -> '$.saw' AS saw,
    called.at AS called_at,
    answered.at AS answered_at
FROM events AS called
LEFT JOIN events AS opened
    ON opened.stream = called.stream AND opened.seq = 1 AND opened.kind = 'participation_opened'
LEFT JOIN events AS answered
    ON answered.stream = called.stream AND answered.kind = 'agent_answered' AND answered.item = called.item
        AND answered.body ->> '$.session' = called.body ->> '$.session'
        AND answered.body ->> '$.call' = called.body ->> '$.call'
        AND answered.body ->> '$.attempt' = called.body ->> '$.attempt'
WHERE called.kind = 'agent_called' AND called.body IS NOT NULL;
