-- What DuckDB 1.5 made the .parquet files of this folder with.
SET TimeZone = 'UTC';

COPY (
  SELECT * FROM (VALUES
    ('oslo', 709037::INTEGER, 9007199254740993::BIGINT, 18446744073709551615::UBIGINT, 0.3::DECIMAL(9, 1),
      12345678901234567890.123456789::DECIMAL(38, 9), true, 1.5::DOUBLE, DATE '1048-01-01',
      TIMESTAMP '2024-05-17 12:00:00.123456', TIMESTAMPTZ '2024-05-17 12:00:00+00', TIME '12:30:00.5', '\x00\xFF'::BLOB,
      ['a', NULL, 'b'], {'lat': 59.91::DECIMAL(5, 2), 'tags': [{'k': 1}, {'k': 2}]}, MAP {'x': 1, 'y': 2},
      [0.1::DECIMAL(4, 1), 0.7], 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID, [[1, 2], []], '{"a": 9007199254740993}'::JSON),
    ('bergen', NULL, 1, 5, -1234.5, -1, NULL, 'NaN'::DOUBLE, DATE '1070-01-01', TIMESTAMP '1969-12-31 23:59:59.5',
      NULL, NULL, NULL, [], NULL, MAP {}, NULL, NULL, NULL, NULL),
    ('moss', 3, NULL, NULL, NULL, NULL, false, NULL, NULL, TIMESTAMP 'infinity', TIMESTAMPTZ '0001-01-01 00:00:00+00',
      TIME '00:00:00', ''::BLOB, NULL, {'lat': NULL, 'tags': []}, NULL, [], NULL, [], NULL)
  ) cities(id, population, big, unsigned, tenth, wide, capital, ratio, founded, local_time, "at", clock, bytes, names, place,
    counts, tenths, uuid, nested, extra)
) TO 'every-type.parquet' (FORMAT parquet, CODEC zstd);

COPY (SELECT i AS id, i % 7 AS part FROM range(1, 2501) numbers(i))
TO 'groups.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048, CODEC gzip);
