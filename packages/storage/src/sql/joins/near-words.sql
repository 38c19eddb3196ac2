-- The word of names, owners and topics of public collections that is most like a misspelt one; null if none is like it. Readmes and fields
-- are left out: the index only names candidates, and comparing with thousands of words of each blocked an embedded database for seconds. A word of six letters with one wrong letter has a similarity of about 0.5, and of 0.43 with two letters exchanged.
create function near_word(misspelt text) returns text language sql stable set pg_trgm.word_similarity_threshold = 0.42 as $$
  select word from (
    (select strip(name || topics) as words from collection_words
      where misspelt <% (strip(name || topics)::text)
        and (select public from collections where id = collection_id)
      limit 100)
    union all
    (select words from owner_words
      where misspelt <% (strip(words)::text)
        and exists (select from collections where owner_id = account_id and public)
      limit 100)) as near, unnest(tsvector_to_array(words)) as word
  where word_similarity(misspelt, word) >= 0.42
  group by word order by similarity(misspelt, word) desc, count(*) desc, word limit 1
$$;
