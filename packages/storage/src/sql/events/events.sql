-- Events: changes of collections, versions and answers to saved questions, numbered in one order for the whole registry (events.ts).

/*
 * Notes a change in `outbox`, in the transaction that makes it. Triggers do, so that no way of changing a collection can forget it.
 * A transaction that changes a collection locks its row before, so the ids of one collection are in the order of its commits.
 */
create function note_version_change() returns trigger language plpgsql as $$
begin
  insert into outbox (at, kind, collection_id, version_id, account_id, name, public, details)
    select
      case tg_argv[0] when 'version.made' then new.created_at when 'version.withdrawn' then new.withdrawn_at
        else coalesce(new.deprecated_at, clock_timestamp()) end,
      tg_argv[0], c.id, new.id, c.owner_id, a.slug || '/' || c.slug, c.public and new.public_changed,
      jsonb_build_object('semver', format('v%s.%s.%s', new.major, new.minor, new.patch))
        || case tg_argv[0] when 'version.made' then jsonb_build_object('bump', case
               when new.base_semver is null or split_part(substr(new.base_semver, 2), '.', 1) <> new.major::text then 'major'
               when split_part(new.base_semver, '.', 2) <> new.minor::text then 'minor' else 'patch' end)
             when 'version.deprecated' then jsonb_build_object('deprecated', new.deprecated_at is not null) else '{}' end
    from collections c join accounts a on a.id = c.owner_id where c.id = new.collection_id;
  return null;
end $$;

create function note_collection_change() returns trigger language plpgsql as $$
declare
  collection collections := coalesce(new, old);
  owner text := coalesce((select slug from accounts where id = collection.owner_id), '');
begin
  -- `made`, `deleted`, or of a change what changed: another address, another visibility, or both.
  insert into outbox (at, kind, collection_id, account_id, name, public, details)
    select case when tg_op = 'DELETE' then clock_timestamp() else collection.updated_at end, 'collection.' || change.kind,
      collection.id, collection.owner_id, owner || '/' || collection.slug, change.visible, change.details
    from (
      select tg_argv[0] as kind, collection.public as visible, '{}'::jsonb as details where tg_op <> 'UPDATE'
      union all
      select case when new.owner_id = old.owner_id then 'renamed' else 'transferred' end, new.public and old.public,
          jsonb_build_object('formerly', (select slug from accounts where id = old.owner_id) || '/' || old.slug)
        where tg_op = 'UPDATE' and (new.owner_id, new.slug) is distinct from (old.owner_id, old.slug)
      union all
      select 'visibility', new.public, jsonb_build_object('public', new.public) where tg_op = 'UPDATE' and new.public <> old.public
    ) change;
  return null;
end $$;

/*
 * A version with other content than the one before, and a withdrawal, may change the answers to saved questions about the latest version. In
 * the order of their ids, so that two transactions never wait for each other.
 */
create function count_question_changes() returns trigger language plpgsql as $$
declare
  changed uuid := case tg_table_name when 'versions' then (to_jsonb(new)->>'id')::uuid else (to_jsonb(new)->>'version_id')::uuid end;
begin
  update saved_questions set changes = changes + 1, attempts = 0
    where id in (
      select q.id from versions v join saved_questions q on q.collection_id = v.collection_id
        where v.id = changed and q.version is null order by q.id for update of q);
  return null;
end $$;

-- Outsiders see that the answer to a question changed while they see the question.
create function note_question_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.answer_hash is not null and new.answer_hash is distinct from old.answer_hash and new.answer_hash is not null then
    insert into outbox (at, kind, collection_id, account_id, name, public, details)
      select clock_timestamp(), 'question.changed', c.id, c.owner_id, a.slug || '/' || c.slug, c.public and new.public,
        jsonb_build_object('question', new.slug, 'semver', new.answer_since)
      from collections c join accounts a on a.id = c.owner_id where c.id = new.collection_id;
  end if;
  if old.public and (tg_op = 'DELETE' or not new.public) then
    update outbox set public = false
      where collection_id = old.collection_id and kind = 'question.changed' and details->>'question' = old.slug and public;
    update events set public = false
      where collection_id = old.collection_id and kind = 'question.changed' and details->>'question' = old.slug and public;
  end if;
  return null;
end $$;

-- Not while a backup is loaded, whose rows are no changes (dump/load.ts).
create trigger versions_made after insert on versions for each row
  when (current_setting('ulmus.loading', true) is distinct from 'on') execute function note_version_change('version.made');
create trigger versions_withdrawn after update of withdrawn_at on versions for each row
  when (old.withdrawn_at is null and new.withdrawn_at is not null) execute function note_version_change('version.withdrawn');
create trigger versions_deprecated after update of deprecation on versions for each row
  when (old.deprecation is distinct from new.deprecation and new.withdrawn_at is null)
  execute function note_version_change('version.deprecated');
create trigger collections_made after insert on collections for each row
  when (current_setting('ulmus.loading', true) is distinct from 'on') execute function note_collection_change('made');
create trigger collections_changed after update of owner_id, slug, public on collections for each row
  when ((old.owner_id, old.slug, old.public) is distinct from (new.owner_id, new.slug, new.public))
  execute function note_collection_change();
create trigger versions_differ after insert on version_strips for each row
  when (new.full_shares is null and current_setting('ulmus.loading', true) is distinct from 'on')
  execute function count_question_changes();
create trigger versions_gone after update of withdrawn_at on versions for each row
  when (old.withdrawn_at is null and new.withdrawn_at is not null) execute function count_question_changes();
create trigger questions_changed after update of answer_hash, public on saved_questions for each row
  execute function note_question_change();
create trigger questions_removed after delete on saved_questions for each row execute function note_question_change();
create trigger collections_deleted after delete on collections for each row execute function note_collection_change('deleted');

/*
 * Gives noted changes the next numbers, at most `most`, and returns how many. One caller does it at a time; others return 0. Numbers follow
 * each other without gaps, since a transaction that fails takes its numbers back.
 */
create function number_events(most integer) returns integer language plpgsql as $$
declare
  first bigint;
  numbered integer;
begin
  perform from outbox limit 1;
  if not found then return 0; end if;
  select next into first from event_numbers for update skip locked;
  if not found then
    insert into event_numbers (only_one, next) values (true, 1) on conflict do nothing;
    select next into first from event_numbers for update skip locked;
    if not found then return 0; end if;
  end if;
  with taken as (
    delete from outbox where id in (select id from outbox order by id limit most) returning *
  ), numbers as (
    select first + row_number() over (order by id) - 1 as seq, taken.* from taken
  ), logged as (
    insert into log_queue (at, kind, collection_id, version_id, name)
      select at, kind, collection_id, version_id, name from numbers
      where kind in ('version.made', 'version.withdrawn', 'collection.renamed', 'collection.transferred')
        -- It uses up the next slot, which readers know, before the first one that they do not.
        or (kind = 'collection.visibility' and not public)
      order by seq
  )
  insert into events (seq, at, kind, collection_id, version_id, account_id, name, public, details)
    select seq, at, kind, collection_id, version_id, account_id, name, public, details from numbers;
  get diagnostics numbered = row_count;
  update event_numbers set next = first + numbered;
  return numbered;
end $$;
