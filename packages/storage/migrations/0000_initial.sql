CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "device_logins" (
	"device_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_hash" text COLLATE "C" NOT NULL,
	"scope" text NOT NULL,
	"collection" text,
	"label" text NOT NULL,
	"user_agent" text NOT NULL,
	"address" text NOT NULL,
	"network" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"status" text NOT NULL,
	"account_id" uuid,
	"collection_id" uuid,
	"key_expires_at" timestamp (3) with time zone,
	CONSTRAINT "device_logins_user_hash_unique" UNIQUE("user_hash"),
	CONSTRAINT "device_logins_scope" CHECK ("device_logins"."scope" in ('read', 'write', 'admin')),
	CONSTRAINT "device_logins_status" CHECK ("device_logins"."status" in ('pending', 'allowed', 'refused')),
	CONSTRAINT "device_logins_allowed" CHECK (("device_logins"."status" = 'allowed') = ("device_logins"."account_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"start" text NOT NULL,
	"label" text NOT NULL,
	"scope" text NOT NULL,
	"collection_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"publisher_id" uuid,
	"workload" jsonb,
	"role_cap" text,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "api_keys_scope" CHECK ("api_keys"."scope" in ('read', 'write', 'admin')),
	CONSTRAINT "api_keys_role_cap" CHECK ("api_keys"."role_cap" is null or ("api_keys"."role_cap" = 'member' and "api_keys"."scope" <> 'admin'))
);
--> statement-breakpoint
CREATE TABLE "operator_openings" (
	"collection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_openings_collection_id_account_id_pk" PRIMARY KEY("collection_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "request_counts" (
	"minute" timestamp (3) with time zone NOT NULL,
	"caller" text COLLATE "C" NOT NULL,
	"process" uuid NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "request_counts_minute_caller_process_pk" PRIMARY KEY("minute","caller","process")
);
--> statement-breakpoint
CREATE TABLE "trusted_publishers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"kind" text NOT NULL,
	"claims" jsonb NOT NULL,
	"pinned" jsonb,
	"scope" text NOT NULL,
	"lifetime_minutes" integer NOT NULL,
	"shows" text NOT NULL,
	"label" text NOT NULL,
	"made_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"refused" jsonb,
	CONSTRAINT "trusted_publishers_scope" CHECK ("trusted_publishers"."scope" in ('read', 'write')),
	CONSTRAINT "trusted_publishers_shows" CHECK ("trusted_publishers"."shows" in ('none', 'members', 'everyone')),
	CONSTRAINT "trusted_publishers_lifetime" CHECK ("trusted_publishers"."lifetime_minutes" between 5 and 60)
);
--> statement-breakpoint
CREATE TABLE "used_tokens" (
	"issuer" text COLLATE "C" NOT NULL,
	"jti" text COLLATE "C" NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "used_tokens_issuer_jti_pk" PRIMARY KEY("issuer","jti")
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"type" text NOT NULL,
	"display_name" text NOT NULL,
	"email" text,
	"email_verified" boolean DEFAULT false NOT NULL,
	"takes_mail" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	"claims_operator" boolean DEFAULT false NOT NULL,
	"members_may_change_visibility" boolean DEFAULT true NOT NULL,
	"default_visibility" text DEFAULT 'private' NOT NULL,
	"quota_bytes" bigint,
	"made_by" uuid,
	CONSTRAINT "accounts_slug_unique" UNIQUE("slug"),
	CONSTRAINT "accounts_type" CHECK ("accounts"."type" in ('user', 'org')),
	CONSTRAINT "accounts_default_visibility" CHECK ("accounts"."default_visibility" in ('private', 'public'))
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"issuer" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"account_id" uuid NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "browser_sessions" (
	"token_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_account_slugs" (
	"slug_hash" text NOT NULL,
	"slug" text COLLATE "C",
	"account_id" uuid NOT NULL,
	"heirs" text[] DEFAULT '{}'::text[] NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"kept_until" timestamp (3) with time zone,
	CONSTRAINT "former_account_slugs_slug_hash_account_id_pk" PRIMARY KEY("slug_hash","account_id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"user_id" uuid,
	"email" text,
	"role" text NOT NULL,
	"token_hash" text COLLATE "C" NOT NULL,
	"invited_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'admin', 'member')),
	CONSTRAINT "invitations_for" CHECK (("invitations"."user_id" is null) <> ("invitations"."email" is null))
);
--> statement-breakpoint
CREATE TABLE "members" (
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "members_org_id_user_id_pk" PRIMARY KEY("org_id","user_id"),
	CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'admin', 'member'))
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"account_id" uuid NOT NULL,
	"action" text NOT NULL,
	"actor_id" uuid,
	"means" jsonb NOT NULL,
	"target" text NOT NULL,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "collection_words" (
	"collection_id" uuid PRIMARY KEY NOT NULL,
	"name" "tsvector" NOT NULL,
	"owner" "tsvector" NOT NULL,
	"topics" "tsvector" DEFAULT '' NOT NULL,
	"description" "tsvector" NOT NULL,
	"head_description" "tsvector",
	"readme" "tsvector" DEFAULT '' NOT NULL,
	"fields" "tsvector" DEFAULT '' NOT NULL,
	"facets" text[] DEFAULT '{}'::text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "collections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"folded_name" text COLLATE "C" NOT NULL,
	"description" text,
	"public" boolean NOT NULL,
	"head_id" uuid,
	"head_description" text,
	"topics" text[] DEFAULT '{}'::text[] NOT NULL,
	"forked_from_id" uuid,
	"forked_from_semver" text,
	"ancestors" uuid[] DEFAULT '{}'::uuid[] NOT NULL,
	"newest_withdrawn" text,
	"publishers_only" boolean DEFAULT false NOT NULL,
	"hidden_at" timestamp (3) with time zone,
	"hidden_reason" text,
	"public_once_shown" boolean DEFAULT false NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_collection_slugs" (
	"owner_id" uuid NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"collection_id" uuid,
	"given" boolean DEFAULT false NOT NULL,
	"published" boolean NOT NULL,
	"kept_until" timestamp (3) with time zone,
	CONSTRAINT "former_collection_slugs_owner_id_slug_pk" PRIMARY KEY("owner_id","slug")
);
--> statement-breakpoint
CREATE TABLE "owner_words" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"words" "tsvector" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"text" text NOT NULL,
	"contact" text,
	"reporter_id" uuid,
	"network" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"outcome" text,
	"note" text,
	"closed_by" uuid,
	CONSTRAINT "reports_reason" CHECK ("reports"."reason" in ('illegal', 'personal_data', 'copyright', 'harmful', 'spam', 'other')),
	CONSTRAINT "reports_outcome" CHECK ("reports"."outcome" in ('dismissed', 'acted')),
	CONSTRAINT "reports_closed" CHECK (("reports"."closed_at" is null) = ("reports"."outcome" is null))
);
--> statement-breakpoint
CREATE TABLE "saved_questions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"sql" text,
	"type" text,
	"query" text,
	"form" text NOT NULL,
	"version" text,
	"public" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"changes" integer NOT NULL,
	"compared" integer DEFAULT 0 NOT NULL,
	"answered_from" text,
	"answer_hash" text,
	"answer_since" text,
	"compared_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "saved_questions_slug" UNIQUE("collection_id","slug"),
	CONSTRAINT "saved_questions_form" CHECK ("saved_questions"."form" in ('table', 'chart', 'map')),
	CONSTRAINT "saved_questions_kind" CHECK (("saved_questions"."sql" is null) = ("saved_questions"."query" is not null) and ("saved_questions"."sql" is null) = ("saved_questions"."type" is not null))
);
--> statement-breakpoint
CREATE TABLE "withdrawn_names" (
	"collection_id" uuid PRIMARY KEY NOT NULL,
	"names" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"webhook_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"state" text NOT NULL,
	"attempts" integer NOT NULL,
	"next_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"attempted_at" timestamp (3) with time zone,
	"status" integer,
	"why" text,
	"milliseconds" integer,
	CONSTRAINT "deliveries_webhook_id_seq_pk" PRIMARY KEY("webhook_id","seq")
);
--> statement-breakpoint
CREATE TABLE "fan_out" (
	"only_one" boolean PRIMARY KEY NOT NULL,
	"next" bigint NOT NULL,
	CONSTRAINT "fan_out_only_one" CHECK ("fan_out"."only_one")
);
--> statement-breakpoint
CREATE TABLE "event_numbers" (
	"only_one" boolean PRIMARY KEY NOT NULL,
	"next" bigint NOT NULL,
	CONSTRAINT "event_numbers_only_one" CHECK ("event_numbers"."only_one")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"collection_id" uuid NOT NULL,
	"version_id" uuid,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"public" boolean NOT NULL,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"collection_id" uuid NOT NULL,
	"version_id" uuid,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"public" boolean NOT NULL,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_requests" (
	"account_id" uuid NOT NULL,
	"host" text NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"is_test" boolean NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "webhook_requests_account_id_host_minute_is_test_pk" PRIMARY KEY("account_id","host","minute","is_test")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"collection_id" uuid,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"label" text NOT NULL,
	"kinds" text[] NOT NULL,
	"bumps" text[] NOT NULL,
	"secret" "bytea" NOT NULL,
	"former_secrets" "bytea",
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_why" text,
	"failing_since" timestamp (3) with time zone,
	"proven" boolean DEFAULT false NOT NULL,
	"made_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"tested_at" timestamp (3) with time zone,
	"hears_after" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "webhooks_enabled" CHECK (not ("webhooks"."enabled" and "webhooks"."disabled_why" is not null))
);
--> statement-breakpoint
CREATE TABLE "collection_files" (
	"collection_id" uuid NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"content_type" text NOT NULL,
	"in_full" boolean DEFAULT false NOT NULL,
	"in_public" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"uploaded_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "collection_files_collection_id_hash_pk" PRIMARY KEY("collection_id","hash")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"used" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"account_id" uuid,
	"invitation_id" uuid,
	"key_id" uuid,
	"report_id" uuid,
	"made_by" uuid,
	"recipient" text NOT NULL,
	"token" "bytea",
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"error" text,
	CONSTRAINT "mails_invitation_id_unique" UNIQUE("invitation_id"),
	CONSTRAINT "mails_key_id_unique" UNIQUE("key_id"),
	CONSTRAINT "mails_report_id_unique" UNIQUE("report_id"),
	CONSTRAINT "mails_kind" CHECK ("mails"."kind" in ('invitation', 'key_expiry', 'report')),
	CONSTRAINT "mails_state" CHECK ("mails"."state" in ('waiting', 'sending', 'done', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "inline_packs" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "objects" (
	"hash" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"pack_id" integer NOT NULL,
	"offset" bigint NOT NULL,
	"length" integer NOT NULL,
	"crc" bigint NOT NULL,
	"checksum" text COLLATE "C",
	"bases" text[] DEFAULT '{}'::text[] NOT NULL,
	"condemned" uuid,
	CONSTRAINT "objects_hash_kind_pk" PRIMARY KEY("hash","kind"),
	CONSTRAINT "objects_kind" CHECK ("objects"."kind" in ('plain', 'body'))
);
--> statement-breakpoint
CREATE TABLE "packs" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "packs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"bytes" bigint NOT NULL,
	"object_bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "packs_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "blobs_set_aside" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_spills" (
	"push_id" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"role" text NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"entries" integer NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "push_spills_push_id_sequence_pk" PRIMARY KEY("push_id","sequence"),
	CONSTRAINT "push_spills_role" CHECK ("push_spills"."role" in ('records', 'manifest'))
);
--> statement-breakpoint
CREATE TABLE "pushes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"committer_id" uuid,
	"committer_means" jsonb,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"base_id" uuid,
	"base_semver" text,
	"schemas_hash" text,
	"schemas" text,
	"metadata" text,
	"confirm_public" text,
	"files" text[] DEFAULT '{}'::text[] NOT NULL,
	"strip_unknown_fields" boolean DEFAULT false NOT NULL,
	"message" text,
	"app_id" text,
	"actor_id" text,
	"manifest_expected" bigint,
	"received_records" bigint DEFAULT 0 NOT NULL,
	"result" json,
	"error" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"records_done" bigint DEFAULT 0 NOT NULL,
	"records_total" bigint DEFAULT 0 NOT NULL,
	"lease_holder" uuid,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "pushes_status" CHECK ("pushes"."status" in ('open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired'))
);
--> statement-breakpoint
CREATE TABLE "deletions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_ids" uuid[] NOT NULL,
	"push_ids" uuid[] NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"lease_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"moved_to" text,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
CREATE TABLE "last_backup" (
	"only_one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"taken_at" timestamp (3) with time zone NOT NULL,
	"seconds" double precision NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "last_backup_only_one" CHECK ("last_backup"."only_one")
);
--> statement-breakpoint
CREATE TABLE "periodic_tasks" (
	"name" text PRIMARY KEY NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"succeeded" boolean
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"release" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"worked_at" timestamp (3) with time zone,
	"ended" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_queue" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_queue_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"collection_id" uuid,
	"version_id" uuid,
	"account_id" uuid,
	"name" text
);
--> statement-breakpoint
CREATE TABLE "log_heads" (
	"collection_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"leaf_hash" text NOT NULL,
	"secret" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_keys" (
	"vkey" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "log_leaves" (
	"index" bigint PRIMARY KEY NOT NULL,
	"leaf" "bytea" NOT NULL,
	"collection_id" uuid,
	"seq" bigint NOT NULL,
	"version_id" uuid,
	"name" text COLLATE "C",
	"at" timestamp (3) with time zone NOT NULL,
	"statement" text,
	"salt" "bytea",
	"full_salt" "bytea",
	"commitment" "bytea"
);
--> statement-breakpoint
CREATE TABLE "log_state" (
	"only_one" boolean PRIMARY KEY NOT NULL,
	"registry_id" uuid NOT NULL,
	"origin" text,
	"size" bigint NOT NULL,
	"signed_size" bigint NOT NULL,
	"checkpoint" text,
	"signed_at" timestamp (3) with time zone,
	"restored_at" timestamp (3) with time zone,
	CONSTRAINT "log_state_only_one" CHECK ("log_state"."only_one")
);
--> statement-breakpoint
CREATE TABLE "log_tiles" (
	"level" integer NOT NULL,
	"index" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "log_tiles_level_index_pk" PRIMARY KEY("level","index")
);
--> statement-breakpoint
CREATE TABLE "log_witnessed" (
	"origin" text COLLATE "C" PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"root" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "metadata_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"status" text NOT NULL,
	"account_id" uuid NOT NULL,
	"means" jsonb NOT NULL,
	"base_id" uuid NOT NULL,
	"base_semver" text NOT NULL,
	"patch" text,
	"result_version_id" uuid,
	"unchanged" boolean DEFAULT false NOT NULL,
	"error" jsonb,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "metadata_jobs_status" CHECK ("metadata_jobs"."status" in ('running', 'completed', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "rendered_readmes" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"html" text,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "version_strips" (
	"version_id" uuid PRIMARY KEY NOT NULL,
	"before_id" uuid,
	"public_shares" text,
	"full_shares" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"major" integer NOT NULL,
	"minor" integer NOT NULL,
	"patch" integer NOT NULL,
	"base_semver" text,
	"full_digest" text COLLATE "C" NOT NULL,
	"public_digest" text COLLATE "C" NOT NULL,
	"sidecar" text COLLATE "C" NOT NULL,
	"full_records" bigint NOT NULL,
	"full_files" bigint NOT NULL,
	"full_bytes" bigint NOT NULL,
	"public_records" bigint NOT NULL,
	"public_files" bigint NOT NULL,
	"public_bytes" bigint NOT NULL,
	"public_changed" boolean NOT NULL,
	"stored_bytes" bigint NOT NULL,
	"license" text,
	"listed_types" jsonb,
	"message" text,
	"app_id" text,
	"actor_id" text,
	"made_by" uuid NOT NULL,
	"made_with_key" jsonb,
	"workload" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"withdrawn_reason" text,
	"erasure" text,
	"deprecated_at" timestamp (3) with time zone,
	"deprecation" text,
	CONSTRAINT "versions_erasure" CHECK ("versions"."erasure" in ('asked', 'done'))
);
--> statement-breakpoint
ALTER TABLE "device_logins" ADD CONSTRAINT "device_logins_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_logins" ADD CONSTRAINT "device_logins_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_publisher_id_trusted_publishers_id_fk" FOREIGN KEY ("publisher_id") REFERENCES "public"."trusted_publishers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_openings" ADD CONSTRAINT "operator_openings_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_openings" ADD CONSTRAINT "operator_openings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_openings" ADD CONSTRAINT "operator_openings_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusted_publishers" ADD CONSTRAINT "trusted_publishers_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_made_by_accounts_id_fk" FOREIGN KEY ("made_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "browser_sessions" ADD CONSTRAINT "browser_sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_org_id_accounts_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_org_id_accounts_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_words" ADD CONSTRAINT "collection_words_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collections" ADD CONSTRAINT "collections_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_collection_slugs" ADD CONSTRAINT "former_collection_slugs_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner_words" ADD CONSTRAINT "owner_words_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_accounts_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_closed_by_accounts_id_fk" FOREIGN KEY ("closed_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_questions" ADD CONSTRAINT "saved_questions_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "withdrawn_names" ADD CONSTRAINT "withdrawn_names_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_seq_events_seq_fk" FOREIGN KEY ("seq") REFERENCES "public"."events"("seq") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_made_by_accounts_id_fk" FOREIGN KEY ("made_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_files" ADD CONSTRAINT "collection_files_hash_files_hash_fk" FOREIGN KEY ("hash") REFERENCES "public"."files"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_invitation_id_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."invitations"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_report_id_reports_id_fk" FOREIGN KEY ("report_id") REFERENCES "public"."reports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_made_by_accounts_id_fk" FOREIGN KEY ("made_by") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_spills" ADD CONSTRAINT "push_spills_push_id_pushes_id_fk" FOREIGN KEY ("push_id") REFERENCES "public"."pushes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pushes" ADD CONSTRAINT "pushes_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_jobs" ADD CONSTRAINT "metadata_jobs_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "version_strips" ADD CONSTRAINT "version_strips_version_id_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_logins_expires" ON "device_logins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "device_logins_account" ON "device_logins" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "device_logins_collection" ON "device_logins" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_collection" ON "api_keys" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "api_keys_publisher" ON "api_keys" USING btree ("publisher_id","expires_at") WHERE "api_keys"."publisher_id" is not null;--> statement-breakpoint
CREATE INDEX "operator_openings_account" ON "operator_openings" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "operator_openings_owner" ON "operator_openings" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "operator_openings_until" ON "operator_openings" USING btree ("until");--> statement-breakpoint
CREATE INDEX "trusted_publishers_collection" ON "trusted_publishers" USING btree ("collection_id","created_at");--> statement-breakpoint
CREATE INDEX "used_tokens_until" ON "used_tokens" USING btree ("until");--> statement-breakpoint
CREATE INDEX "accounts_made_by" ON "accounts" USING btree ("made_by");--> statement-breakpoint
CREATE INDEX "identities_account" ON "identities" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_account" ON "browser_sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "browser_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "former_account_slugs_account" ON "former_account_slugs" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "invitations_org" ON "invitations" USING btree ("org_id","created_at");--> statement-breakpoint
CREATE INDEX "invitations_user" ON "invitations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audit_events_account" ON "audit_events" USING btree ("account_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_actor" ON "audit_events" USING btree ("actor_id","at","id") WHERE "audit_events"."actor_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_events_at" ON "audit_events" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "collection_words_names" ON "collection_words" USING gin (("name" || "owner")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "collection_words_described" ON "collection_words" USING gin (("name" || "owner" || "topics" || coalesce("head_description", "description"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "collection_words_all" ON "collection_words" USING gin ((("name" || "owner" || "topics" || coalesce("head_description", "description")) || "readme" || "fields")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "collection_words_trigrams" ON "collection_words" USING gin ((strip("name" || "topics")::text) gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "collection_words_facets" ON "collection_words" USING gin ("facets" collate "C") WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "collections_owner_slug" ON "collections" USING btree ("owner_id","slug");--> statement-breakpoint
CREATE INDEX "collections_owner_updated" ON "collections" USING btree ("owner_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "collections_public_updated" ON "collections" USING btree ("updated_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_created" ON "collections" USING btree ("created_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name" ON "collections" USING btree ("folded_name","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_owner_updated" ON "collections" USING btree ("owner_id","updated_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name_trigrams" ON "collections" USING gin ("folded_name" gin_trgm_ops) WITH (fastupdate=false) WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name_grams" ON "collections" USING gin ((string_to_array(regexp_replace("folded_name", '(..)', E'\\1\n', 'g') || E'\n' || regexp_replace(substr("folded_name", 2), '(..)', E'\\1\n', 'g'), E'\n') || string_to_array("folded_name", null))) WITH (fastupdate=false) WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_topics" ON "collections" USING gin ("topics" collate "C") WITH (fastupdate=false) WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_hidden" ON "collections" USING btree ("hidden_at","id") WHERE "collections"."hidden_reason" is not null;--> statement-breakpoint
CREATE INDEX "collections_ancestors" ON "collections" USING gin ("ancestors");--> statement-breakpoint
CREATE INDEX "former_collection_slugs_collection" ON "former_collection_slugs" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "owner_words_words" ON "owner_words" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "owner_words_trigrams" ON "owner_words" USING gin ((strip("words")::text) gin_trgm_ops) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "reports_open" ON "reports" USING btree ("collection_id",coalesce("reporter_id"::text, "network")) WHERE "reports"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "reports_order" ON "reports" USING btree (coalesce("closed_at", '9999-12-31 00:00:00+00'::timestamptz),"id");--> statement-breakpoint
CREATE INDEX "reports_collection" ON "reports" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "reports_reporter" ON "reports" USING btree ("reporter_id");--> statement-breakpoint
CREATE INDEX "reports_closed_by" ON "reports" USING btree ("closed_by");--> statement-breakpoint
CREATE INDEX "saved_questions_due" ON "saved_questions" USING btree ("compared_at") WHERE "saved_questions"."compared" < "saved_questions"."changes";--> statement-breakpoint
CREATE INDEX "deliveries_seq" ON "deliveries" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("webhook_id","next_at","seq") WHERE "deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("next_at") WHERE "deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "deliveries_claimed" ON "deliveries" USING btree ("claimed_until") WHERE "deliveries"."claimed_until" is not null;--> statement-breakpoint
CREATE INDEX "events_collection" ON "events" USING btree ("collection_id","seq");--> statement-breakpoint
CREATE INDEX "events_account" ON "events" USING btree ("account_id","seq");--> statement-breakpoint
CREATE INDEX "events_public" ON "events" USING btree ("seq") WHERE "events"."public";--> statement-breakpoint
CREATE INDEX "webhook_requests_host" ON "webhook_requests" USING btree ("host","minute");--> statement-breakpoint
CREATE INDEX "webhooks_account" ON "webhooks" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "webhooks_collection" ON "webhooks" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "webhooks_made_by" ON "webhooks" USING btree ("made_by");--> statement-breakpoint
CREATE INDEX "webhooks_host" ON "webhooks" USING btree ("host");--> statement-breakpoint
CREATE INDEX "collection_files_hash" ON "collection_files" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "files_unused" ON "files" USING btree ("created_at","hash") WHERE not "files"."used";--> statement-breakpoint
CREATE INDEX "mails_waiting" ON "mails" USING btree ("next_at") WHERE "mails"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "mails_sending" ON "mails" USING btree ("lease_until") WHERE "mails"."state" = 'sending';--> statement-breakpoint
CREATE INDEX "mails_failed" ON "mails" USING btree ("created_at") WHERE "mails"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "mails_account" ON "mails" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "mails_made_by" ON "mails" USING btree ("made_by","created_at");--> statement-breakpoint
CREATE INDEX "mails_recipient" ON "mails" USING btree ("recipient","created_at");--> statement-breakpoint
CREATE INDEX "objects_pack" ON "objects" USING btree ("pack_id");--> statement-breakpoint
CREATE INDEX "pushes_collection" ON "pushes" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "pushes_open" ON "pushes" USING btree ("expires_at") WHERE "pushes"."status" = 'open';--> statement-breakpoint
CREATE INDEX "pushes_open_account" ON "pushes" USING btree ("account_id") WHERE "pushes"."status" = 'open';--> statement-breakpoint
CREATE INDEX "pushes_ended" ON "pushes" USING btree ("expires_at") WHERE "pushes"."status" in ('committed', 'failed', 'cancelled', 'expired');--> statement-breakpoint
CREATE INDEX "pushes_leased" ON "pushes" USING btree ("lease_until") WHERE "pushes"."status" in ('committing', 'checking');--> statement-breakpoint
CREATE UNIQUE INDEX "log_leaves_collection" ON "log_leaves" USING btree ("collection_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "log_leaves_links" ON "log_leaves" USING btree ("collection_id","seq") WHERE "log_leaves"."commitment" is not null;--> statement-breakpoint
CREATE INDEX "log_leaves_version" ON "log_leaves" USING btree ("version_id");--> statement-breakpoint
CREATE INDEX "log_leaves_name" ON "log_leaves" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "metadata_jobs_slot" ON "metadata_jobs" USING btree ("collection_id") WHERE "metadata_jobs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "metadata_jobs_collection" ON "metadata_jobs" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "metadata_jobs_finished" ON "metadata_jobs" USING btree ("finished_at") WHERE "metadata_jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "metadata_jobs_running" ON "metadata_jobs" USING btree ("started_at") WHERE "metadata_jobs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "rendered_readmes_used_idx" ON "rendered_readmes" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "version_strips_due" ON "version_strips" USING btree ("version_id") WHERE "version_strips"."full_shares" is null;--> statement-breakpoint
CREATE INDEX "versions_to_erase" ON "versions" USING btree ("id") WHERE "versions"."erasure" = 'asked';--> statement-breakpoint
CREATE UNIQUE INDEX "versions_semver" ON "versions" USING btree ("collection_id","major","minor","patch");--> statement-breakpoint
CREATE INDEX "versions_made_by" ON "versions" USING btree ("made_by","id");--> statement-breakpoint
CREATE INDEX "versions_full_digest" ON "versions" USING btree ("collection_id","full_digest");--> statement-breakpoint
CREATE INDEX "versions_public_digest" ON "versions" USING btree ("collection_id","public_digest");--> statement-breakpoint
-- Checks that a request's authority is good, and locks it until the transaction ends (authority.ts).

/*
 * Locks a credential: an API key or a browser session, or neither. It is good if it has not expired and its account is not suspended. A
 * suspension locks the credentials too, so this waits for it; a separate statement then reads the account, and sees changes made meanwhile.
 */
create function hold_credential(account uuid, key uuid, session text, asked_at timestamptz) returns boolean language plpgsql as $$
begin
  if key is not null then
    perform from api_keys where id = key and (expires_at is null or expires_at > asked_at) for key share;
    if not found then return false; end if;
  end if;
  if session is not null then
    perform from browser_sessions where token_hash = session and expires_at > asked_at for key share;
    if not found then return false; end if;
  end if;
  return not exists (select from accounts where id = account and suspended_at is not null);
end $$;
--> statement-breakpoint

/*
 * Locks the membership, then the credential. authority: {ownerId, accountId, roles, key, session, now}; the account is the owner itself, or has
 * one of the roles in it. A key with a `role_cap` has that role at most.
 */
create function hold_authority(authority jsonb) returns boolean language plpgsql as $$
declare
  account uuid := authority->>'accountId';
begin
  if account = (authority->>'ownerId')::uuid then
    if not authority->'roles' ? 'owner' then return false; end if;
  else
    perform from members
      where org_id = (authority->>'ownerId')::uuid and user_id = account and authority->'roles' ? role for share;
    if not found then return false; end if;
  end if;
  if not authority->'roles' ? 'member' then
    perform from api_keys where id = (authority->>'key')::uuid and role_cap = 'member';
    if found then return false; end if;
  end if;
  return hold_credential(
    account, (authority->>'key')::uuid, authority->>'session', (authority->>'now')::timestamptz);
end $$;
--> statement-breakpoint
-- Counts of a minute are worth no write-ahead log, no wait for the disk and no place on a replica: after a crash the table is empty.
alter table request_counts set unlogged;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
 * fork:       {sourceId, sourceVersionId, ofPrivate, collectionsMax, collection, words, ownerWords, audit}: the collection is made here, as public as its source
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
      where source.id = (fork->>'sourceId')::uuid and (source.public or (fork->>'ofPrivate')::boolean) for share;
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
    -- An outsider's fork knows no private names of its source.
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
--> statement-breakpoint
-- Functions that record packs (objects.ts). docs/formats.md has the pack file.

/*
 * Whether an object is read through exactly these bases, link by link. A base that was stored anew stands alone, so a delta to it may
 * have a shorter chain than its row says, which names the bases needed when it was written.
 */
create function is_read_through(object_hash text, object_kind text, chain text[]) returns boolean language sql stable as $$
  select bool_and(o.bases[1] is not distinct from (chain[link + 1] collate "C")) and count(o.hash) = cardinality(chain) + 1
  from generate_series(0, cardinality(chain)) as link
    left join objects o on o.kind = object_kind and o.hash = (case link when 0 then object_hash else chain[link] end) collate "C"
$$;
--> statement-breakpoint

/*
 * Makes sure that objects may be relied on until the transaction ends: pardons them and their bases (sweeps.ts). The caller has passed the
 * sweep gate in an earlier statement, so that this sees whatever was condemned before.
 * chains: what the bases of each must be, with spaces between them; null: they do not matter.
 * Raises UL001 `objects_swept`, with the objects as JSON in its detail, when one is gone or stored otherwise.
 */
create function rely_on(hashes text[], kinds text[], chains text[]) returns void language plpgsql as $$
declare
  missing jsonb;
begin
  with relied as (
    select o.hash, o.kind, o.bases from unnest(hashes, kinds) as asked (hash, kind) join objects o using (hash, kind)),
  wanted as (select hash, kind from relied union select unnest(bases) collate "C", kind from relied)
  update objects o set condemned = null from wanted
  where o.hash = wanted.hash and o.kind = wanted.kind and o.condemned is not null;

  select jsonb_agg(jsonb_build_object('hash', asked.hash, 'kind', asked.kind)) into missing
  from unnest(hashes, kinds, chains) as asked (hash, kind, chain)
  where not exists (
    select from objects o
    where o.hash = asked.hash and o.kind = asked.kind
      and (asked.chain is null or array_to_string(o.bases, ' ') = asked.chain
        or is_read_through(asked.hash, asked.kind, string_to_array(asked.chain, ' ')))
      and not exists (
        select from unnest(o.bases) as chained (base)
        where not exists (select from objects b where b.hash = chained.base collate "C" and b.kind = o.kind)));
  if missing is not null then
    raise exception 'objects_swept' using errcode = 'UL001', detail = missing::text;
  end if;
end $$;
--> statement-breakpoint

/*
 * Records where objects of a pack lie: the arrays have an element for each, ascending by name, so that two commits with objects in common
 * wait for one another. Those that the index holds keep their place. Returns how many it lacked.
 */
create function record_objects(
  pack integer, hashes text[], kinds text[], offsets bigint[], lengths integer[], crcs bigint[], checksums text[], chains text[]
) returns integer language plpgsql as $$
declare
  recorded integer;
begin
  insert into objects (hash, kind, pack_id, "offset", length, crc, checksum, bases)
  select entry.hash, entry.kind, pack, entry."offset", entry.length, entry.crc, entry.checksum, string_to_array(entry.chain, ' ')
  from unnest(hashes, kinds, offsets, lengths, crcs, checksums, chains)
    as entry (hash, kind, "offset", length, crc, checksum, chain)
  on conflict (hash, kind) do nothing;
  get diagnostics recorded = row_count;
  return recorded;
end $$;
--> statement-breakpoint

/*
 * Records a pack with the first of its objects, passing the sweep gate as a commit. Returns its id.
 * is_whole: there are no more, so that those which the index holds are relied on at once; their bases may lie among the others.
 * inline_content: the pack's bytes, which the database keeps until compaction; null: they are in the blob store. An inline pack of which
 * the index lacked nothing is not kept: null is returned.
 */
create function record_pack(
  pack_name text, pack_bytes bigint, live_bytes bigint, inline_content bytea, is_whole boolean,
  hashes text[], kinds text[], offsets bigint[], lengths integer[], crcs bigint[], checksums text[], chains text[]
) returns integer language plpgsql as $$
declare
  pack integer;
  recorded integer;
begin
  perform pg_advisory_xact_lock_shared(1937204592); -- sweepGate of objects.ts
  insert into packs (name, bytes, object_bytes, created_at) values (pack_name, pack_bytes, live_bytes, now()) returning id into pack;
  recorded := record_objects(pack, hashes, kinds, offsets, lengths, crcs, checksums, chains);
  if is_whole and recorded < cardinality(hashes) then perform rely_on(hashes, kinds, null); end if;
  if inline_content is null then return pack; end if;
  if recorded = 0 and cardinality(hashes) > 0 then
    delete from packs where id = pack;
    return null;
  end if;
  insert into inline_packs (name, content) values (pack_name, inline_content);
  return pack;
end $$;
--> statement-breakpoint
-- What accounts have stored, and whether that is more than they may: see usage.ts.

/*
 * Bytes that count for each collection of an account: `stored`, what its versions and files added to the store (`collections.stored_bytes`),
 * and, of a fork, `inherited`: what its first version came with, as long as it has versions that are not erased. While the source has that
 * version, too, it counts for the source alone. A source that the account may not see counts as deleted, so that its deletion changes no figure.
 */
create function usage_of(account uuid) returns table (slug text, stored bigint, inherited bigint) language sql stable as $$
  select c.slug, c.stored_bytes, coalesce(fork.bytes, 0) from collections c left join lateral (
    select first.full_bytes as bytes from versions first
      where c.forked_from_id is not null and first.collection_id = c.id and (first.major, first.minor, first.patch) = (1, 0, 0)
        and exists (select from versions v where v.collection_id = c.id and v.erasure is distinct from 'done')
        and not exists (
          select from collections source join versions v on v.collection_id = source.id
            and v.major = split_part(substr(c.forked_from_semver, 2), '.', 1)::integer
            and v.minor = split_part(c.forked_from_semver, '.', 2)::integer
            and v.patch = split_part(c.forked_from_semver, '.', 3)::integer
          where source.id = c.forked_from_id and (source.public or source.owner_id = account)
            and v.erasure is distinct from 'done')
  ) fork on true
  where c.owner_id = account
$$;
--> statement-breakpoint

create function used_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(stored + inherited), 0)::bigint from usage_of(account)
$$;
--> statement-breakpoint

/* Bytes that push sessions have received for collections of an account and not committed: what they were opened with, and spills. */
create function received_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(
      coalesce(pg_column_size(p.files), 0) + coalesce(pg_column_size(p.metadata), 0) + coalesce(pg_column_size(p.schemas), 0)
      + (select coalesce(sum(s.bytes), 0) from push_spills s where s.push_id = p.id)), 0)::bigint
    from pushes p join collections c on c.id = p.collection_id and c.owner_id = account
    where p.status in ('open', 'checking', 'committing')
$$;
--> statement-breakpoint

/* Whose quota counts for what an account stores: of an organization without a quota of its own the user who made it, else the account. */
create function charged_account(account uuid) returns uuid language sql stable as $$
  select coalesce((select org.made_by from accounts org where org.id = account and org.quota_bytes is null), account)
$$;
--> statement-breakpoint

/* The accounts that share a quota with an account, itself included. */
create function sharing_quota(account uuid) returns setof uuid language sql stable as $$
  select charged_account(account)
  union select org.id from accounts org where org.made_by = charged_account(account) and org.quota_bytes is null
$$;
--> statement-breakpoint

/* Bytes that an account may have stored together with those that share its quota. Null: as many as they like. */
create function quota_bytes(account uuid, usual bigint) returns bigint language sql stable as $$
  select coalesce((select a.quota_bytes from accounts a where a.id = charged_account(account)), usual)
$$;
--> statement-breakpoint

/* What counts for that quota. */
create function charged_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(used_bytes(id)), 0)::bigint from sharing_quota(account) as sharing (id)
$$;
--> statement-breakpoint

create function charged_received_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(received_bytes(id)), 0)::bigint from sharing_quota(account) as sharing (id)
$$;
--> statement-breakpoint

/*
 * Subtracts, once, what erased versions of a collection had added, except for versions that a version not erased builds on. A version
 * needs only what it added itself and what its bases added.
 */
create function give_back(collection uuid) returns void language sql as $$
  with recursive needed as (
    select v.id, v.base_semver from versions v where v.collection_id = collection and v.erasure is distinct from 'done'
    union
    select base.id, base.base_semver from needed join versions base on base.collection_id = collection
      and needed.base_semver = 'v' || base.major || '.' || base.minor || '.' || base.patch
  ), given as (
    update versions v set stored_bytes = 0 from versions before
      where v.id = before.id and v.collection_id = collection and v.erasure = 'done' and v.stored_bytes > 0
        and v.id not in (select id from needed)
      returning before.stored_bytes as bytes
  )
  update collections set stored_bytes = greatest(0, stored_bytes - (select coalesce(sum(bytes), 0) from given)) where id = collection
$$;
--> statement-breakpoint
-- The signed log (version-log.ts). Erasures leave the leaves, which say nothing without their statement and salts.

-- The lock waits for leaves that another transaction is writing; erasures do not wait for each other.
create function forget_statements_of_collection() returns trigger language plpgsql as $$
begin
  perform from log_state for share;
  update log_leaves set collection_id = null, version_id = null, name = null, statement = null, salt = null, full_salt = null,
      commitment = null
    where collection_id = old.id;
  delete from log_heads where collection_id = old.id;
  return null;
end $$;

create function forget_statement_of_version() returns trigger language plpgsql as $$
begin
  perform from log_state for share;
  update log_leaves set name = null, statement = null, salt = null, full_salt = null where version_id = new.id;
  return null;
end $$;

create trigger collections_forgotten after delete on collections for each row execute function forget_statements_of_collection();
create trigger versions_forgotten after update of erasure on versions for each row
  when (old.erasure is null and new.erasure is not null) execute function forget_statement_of_version();

-- One row, however many collections the account has: the sequencer replaces it by one for each.
create function note_account_name() returns trigger language plpgsql as $$
begin
  insert into log_queue (at, kind, account_id) values (clock_timestamp(), 'account.renamed', new.id);
  return null;
end $$;

create trigger accounts_renamed after update of slug on accounts for each row
  when (old.slug <> new.slug) execute function note_account_name();
--> statement-breakpoint
-- A cache: losing it in a crash costs one rendering a readme, which is less than a write-ahead log and backups of all of them.
alter table rendered_readmes set unlogged;
