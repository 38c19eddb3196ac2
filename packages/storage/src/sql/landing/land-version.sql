-- Landing of versions: pushes, metadata updates and forks all call `land_version` (land-version.ts).

-- Sets what searches find of a collection's head. Columns that `head_words` lacks stay.
create function set_head_words(collection uuid, head_words jsonb) returns void language plpgsql as $$
begin
  update collection_words words
    set head_description = head.head_description, topics = head.topics, readme = head.readme, fields = head.fields,
      facets = head.facets
    from collection_words before, jsonb_populate_record(before, head_words) head
    where words.collection_id = collection and before.collection_id = collection and head is distinct from before;
end $$;

/*
 * Records a version as the head of its collection, with all that must be true exactly if the version is. Objects that it needs are
 * recorded before, by this transaction; `packed` lets `record_pack` be called in the same statement.
 *
 * landed:     the row of `versions`
 * follows:    id of the head that it follows; null: there must be none
 * head_text:  the `description` of its metadata; null: it has none
 * head_topics: its topics
 * head_words: what searches find of it (`set_head_words`); for a fork, the words of its source are copied
 * authority:  who lands it (`hold_authority`)
 * job:        id of the running metadata update that it completes
 * push:       {id, holder, recordsDone, recordsTotal} of the push session that it ends, with its `answer`
 * audit:      its row of `audit_events`
 * usual_quota: what an account that has no quota of its own may have stored; null: as much as it likes
 * fork:       {sourceId, sourceVersionId, byMember, ofPrivate, collectionsMax, collection, words, ownerWords, audit}: the collection is made here, as public as its source
 *
 * Raises UL000, and nothing of the transaction is recorded: `update_ended`, `collection_gone` (or another's by now), `not_allowed`,
 * `publishers_only` (the collection takes versions of trusted publishers alone), `publisher_gone` (the job's publisher was removed), `head_moved`,
 * `lease_lost`, `over_quota`; of a fork `owner_gone`, `source_gone` (or no longer public), `source_withdrawn`, `too_many_collections`. A slug that is taken violates
 * `collections_owner_slug`.
 * Locks, in this order: the account, the collection, the membership, the credential, the trusted publisher.
 */
create function land_version(
  landed jsonb, follows uuid, head_text text, head_topics text[], head_words jsonb, authority jsonb, audit jsonb,
  job uuid default null, push jsonb default null, answer json default null, fork jsonb default null,
  packed integer default null, usual_quota bigint default null
) returns void language plpgsql as $$
declare
  version versions := jsonb_populate_record(null::versions, landed);
  owner uuid := authority->>'ownerId';
  quota bigint := quota_bytes(owner, usual_quota);
  made collections;
begin
  if fork is not null then
    perform from accounts where id = owner for key share;
    if not found then raise exception 'owner_gone' using errcode = 'UL000'; end if;
    -- Locked until the fork exists: deleting the source then sees the fork, and keeps the files that it inherited.
    made := jsonb_populate_record(null::collections, fork->'collection');
    select made.public and source.public into made.public from collections source
      where source.id = (fork->>'sourceId')::uuid and (source.public or (fork->>'byMember')::boolean) for share;
    if not found then raise exception 'source_gone' using errcode = 'UL000'; end if;
    -- What it holds may be erased otherwise before the fork needs it.
    perform from versions where id = (fork->>'sourceVersionId')::uuid and withdrawn_at is null for share;
    if not found then raise exception 'source_withdrawn' using errcode = 'UL000'; end if;
  else
    if job is not null then
      perform from metadata_jobs where id = job and status = 'running' for update;
      if not found then raise exception 'update_ended' using errcode = 'UL000'; end if;
    end if;
    perform from collections where id = version.collection_id and owner_id = owner for no key update;
    if not found then raise exception 'collection_gone' using errcode = 'UL000'; end if;
  end if;

  if not hold_authority(authority) then raise exception 'not_allowed' using errcode = 'UL000'; end if;
  if fork is null and version.workload is null then
    perform from collections where id = version.collection_id and publishers_only;
    if found then raise exception 'publishers_only' using errcode = 'UL000'; end if;
  end if;
  -- Work that a job left to the background ends with the trust in its publisher.
  if fork is null and version.workload is not null then
    perform from trusted_publishers
      where id = (version.workload->>'publisher')::uuid and collection_id = version.collection_id for key share;
    if not found then raise exception 'publisher_gone' using errcode = 'UL000'; end if;
  end if;

  if fork is not null then
    perform from collections where owner_id = owner offset (fork->>'collectionsMax')::bigint - 1;
    if found then raise exception 'too_many_collections' using errcode = 'UL000'; end if;
    -- It takes nothing while its source is there, and may be all that keeps it later.
    if quota is not null and charged_bytes(owner) >= quota then
      raise exception 'over_quota' using errcode = 'UL000';
    end if;
    insert into collections select made.*;
    -- What the source's readme and schemas say belongs to its head, which may have moved since it was read.
    insert into collection_words select copied.* from collections source
      join collection_words words on words.collection_id = source.id,
      jsonb_populate_record(words, (fork->'words') - case
        when source.head_id = (fork->>'sourceVersionId')::uuid then '{readme,fields,facets}'::text[] else '{}' end) copied
      where source.id = (fork->>'sourceId')::uuid;
    insert into owner_words values (owner, (fork->>'ownerWords')::tsvector) on conflict do nothing;
    insert into audit_events select * from jsonb_populate_record(
      null::audit_events, jsonb_set(fork->'audit', '{details,public}', to_jsonb(made.public)));
    -- A fork of the public view knows no private names of its source.
    if (fork->>'ofPrivate')::boolean then
      insert into withdrawn_names
        select made.id, names from withdrawn_names where collection_id = (fork->>'sourceId')::uuid;
    end if;
  else
    if quota is not null and version.stored_bytes > 0 and charged_bytes(owner) + version.stored_bytes > quota then
      raise exception 'over_quota' using errcode = 'UL000';
    end if;
    update collections set head_id = version.id, head_description = head_text, topics = head_topics,
        updated_at = version.created_at, stored_bytes = stored_bytes + version.stored_bytes
      where id = version.collection_id and head_id is not distinct from follows;
    if not found then raise exception 'head_moved' using errcode = 'UL000'; end if;
    -- A version may have landed after the base was read and have been withdrawn since: then the head is the same again, and its number is taken.
    perform from versions where collection_id = version.collection_id
        and (major, minor, patch) >= (version.major, version.minor, version.patch) limit 1;
    if found then raise exception 'head_moved' using errcode = 'UL000'; end if;
    perform set_head_words(version.collection_id, head_words);
  end if;
  insert into versions select version.*;
  -- Equal sidecars: only metadata changed.
  insert into version_strips (version_id, before_id, public_shares, full_shares)
    select version.id, follows, same, same
    from (select (select '' from versions where id = follows and sidecar = version.sidecar) as same) facts;

  if job is not null then
    update metadata_jobs
      set status = 'completed', patch = null, result_version_id = version.id, finished_at = version.created_at where id = job;
  end if;
  if push is not null then
    update pushes
      set status = 'committed', result = answer, error = null, schemas = null, confirm_public = null,
        records_done = (push->>'recordsDone')::bigint, records_total = (push->>'recordsTotal')::bigint
      where id = (push->>'id')::uuid and status = 'committing' and lease_holder = (push->>'holder')::uuid;
    if not found then raise exception 'lease_lost' using errcode = 'UL000'; end if;
  end if;
  insert into audit_events select * from jsonb_populate_record(null::audit_events, audit);
end $$;
