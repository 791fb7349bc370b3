// Generated from schemas/api by `jlpm generate`; do not edit.

/**
 * A message of /changes/ws: first hello with the head of the change log, then changes.
 */
export type Message = ({
kind: "hello"
head: number
} | {
kind: "changes"
cursor: number
changes: Change[]
})

/**
 * All documents of the API, by their names in schemas/api.
 */
export interface Api {
access: Access
accesses: Accesses
annotation: Annotation
"app-panels": AppPanels
artifact: Artifact
"artifact-content": ArtifactContent
artifacts: Artifacts
aspect: Aspect
"audit-entries": AuditEntries
"audit-entry": AuditEntry
"audit-verification": AuditVerification
"cell-states": CellStates
"cell-states-query": CellStatesQuery
change: Change
changes: Changes
"column-impact": ColumnImpact
"complete-instances": CompleteInstances
"dead-letter": DeadLetter
"dead-letter-delete-result": DeadLetterDeleteResult
"dead-letters": DeadLetters
descriptor: Descriptor
"display-names": DisplayNames
entities: Entities
entity: Entity
"entity-metadata": EntityMetadata
"entity-rename": EntityRename
"entity-summary": EntitySummary
"entity-type": EntityType
"entity-urns": EntityUrns
erasure: Erasure
erasures: Erasures
"expired-versions": ExpiredVersions
fields: Fields
"fields-metadata": FieldsMetadata
health: Health
hierarchy: Hierarchy
"inbox-entry": InboxEntry
instance: Instance
"instance-bundle": InstanceBundle
"instance-delete-result": InstanceDeleteResult
"instance-edit": InstanceEdit
"instance-export": InstanceExport
"instance-import": InstanceImport
"instance-restore": InstanceRestore
"instance-summary": InstanceSummary
"instance-values": InstanceValues
instances: Instances
"issued-service-token": IssuedServiceToken
"kernel-end": KernelEnd
"kernel-end-result": KernelEndResult
"key-values": KeyValues
keys: Keys
lineage: Lineage
"lineage-diff": LineageDiff
"lineage-edge": LineageEdge
"lineage-impact": LineageImpact
"lineage-labels": LineageLabels
"lineage-next": LineageNext
"lineage-node": LineageNode
"lineage-nodes": LineageNodes
"lineage-path": LineagePath
load: Load
"load-batch": LoadBatch
"load-batch-result": LoadBatchResult
"load-end": LoadEnd
"load-rejections": LoadRejections
me: Me
memberships: Memberships
message: Message
migration: Migration
"my-teams": MyTeams
"namespace-export": NamespaceExport
"namespace-import": NamespaceImport
"notebooks-rename": NotebooksRename
"notebooks-rename-result": NotebooksRenameResult
"owned-entities": OwnedEntities
"owner-request": OwnerRequest
"owner-request-creation": OwnerRequestCreation
"owner-request-response": OwnerRequestResponse
"owner-requests": OwnerRequests
person: Person
"pipeline-check": PipelineCheck
"pipeline-check-result": PipelineCheckResult
"pipeline-execution": PipelineExecution
"pipeline-package": PipelinePackage
"pipeline-plugins": PipelinePlugins
"pipeline-preview-start": PipelinePreviewStart
"pipeline-run-start": PipelineRunStart
"pipeline-schedules": PipelineSchedules
policies: Policies
"policy-check": PolicyCheck
"policy-check-result": PolicyCheckResult
"policy-content": PolicyContent
problem: Problem
proposal: Proposal
"proposal-decision": ProposalDecision
"proposal-outcomes": ProposalOutcomes
"proposal-review": ProposalReview
proposals: Proposals
"quality-import": QualityImport
"quality-import-result": QualityImportResult
"quality-record": QualityRecord
"quality-results": QualityResults
"quality-statuses": QualityStatuses
"recovery-file-choice": RecoveryFileChoice
"recovery-files": RecoveryFiles
registry: Registry
retention: Retention
"retention-rule": RetentionRule
"retention-rules": RetentionRules
run: Run
"run-accesses": RunAccesses
"run-change": RunChange
"run-events": RunEvents
"run-selection": RunSelection
"run-start": RunStart
runs: Runs
"schema-check-result": SchemaCheckResult
schemaspaces: Schemaspaces
"search-results": SearchResults
"service-token": ServiceToken
"service-token-creation": ServiceTokenCreation
"service-token-rotation": ServiceTokenRotation
"service-tokens": ServiceTokens
"system-app": SystemApp
"system-app-event": SystemAppEvent
"system-app-events": SystemAppEvents
"system-app-logs": SystemAppLogs
"system-apps": SystemApps
"timeseries-values": TimeseriesValues
versions: Versions
"write-result": WriteResult
"write-results": WriteResults
}
/**
 * Whether a user has a permission on an entity, and the rule that decides.
 */
export interface Access {
urn: string
user: string
/**
 * The groups that were considered, with those of the settings.
 */
groups: string[]
permission: ("read" | "annotate" | "emit" | "edit" | "govern" | "delete" | "admin")
/**
 * Whether the user may do it; with `review`, as a proposal.
 */
allowed: boolean
/**
 * What decides: a rule, the settings, or the scopes of the token.
 */
reason: string
/**
 * The rule that decides; null if none does.
 */
rule: ({
/**
 * The URN of the policy, or the path of its file.
 */
policy: string
/**
 * The position of the rule in the policy, from 0.
 */
index: number
/**
 * The line of the rule in the file; null for a stored policy.
 */
line: (number | null)
denies: boolean
} | null)
/**
 * The rule that requires a steward's review: the change becomes a proposal. Null if it is made at once, or not allowed.
 */
review: ({
/**
 * The URN of the policy, or the path of its file.
 */
policy: string
/**
 * The position of the rule in the policy, from 0.
 */
index: number
/**
 * The line of the rule in the file; null for a stored policy.
 */
line: (number | null)
denies: boolean
} | null)
}
/**
 * The data that a run accessed. Entities are created for data that the catalog does not have yet.
 */
export interface Accesses {
accesses: {
data: string
mode: ("read" | "write" | "both" | "unknown")
component?: string
/**
 * ISO 8601, UTC, milliseconds.
 */
time?: string
/**
 * The number of the statement that made the access. Accesses of one request with the same number belong to one statement: all data that it reads flows into all data that it writes, and into nothing else. Without a statement, all data that the program reads flows into all data that it writes.
 */
statement?: number
/**
 * The version of a Delta or Iceberg table that was read, or that the write created: its number, or the id of its snapshot. The newest 20 of a run's access are kept.
 */
tableVersion?: string
}[]
columns?: {
source: string
sourceField: string
target: string
targetField: string
transformation: ("identity" | "transformation" | "aggregation" | "join" | "group_by" | "filter" | "sort" | "window" | "conditional" | "indirect")
}[]
}
/**
 * A change of properties and tags: `properties` and `tags` are added, the other members remove; everything else is unchanged.
 */
export interface Annotation {
properties?: {
[k: string]: string
}
tags?: string[]
withoutProperties?: string[]
withoutTags?: string[]
clearProperties?: boolean
clearTags?: boolean
}
/**
 * The panels of running system applications that the caller may use.
 */
export interface AppPanels {
panels: {
/**
 * The name of the application.
 */
app: string
/**
 * The id of the panel, unique in its application.
 */
id: string
title: string
/**
 * The name of an icon in JupyterLab; empty for the default.
 */
icon: string
/**
 * Whether users choose a namespace in the panel.
 */
contexts: boolean
/**
 * Changes with any file of the panel.
 */
version: string
/**
 * The path of its web module below the server's base URL.
 */
module: string
}[]
}
/**
 * A wheel or a module of a namespace, with the plugins that its source declares.
 */
export interface Artifact {
namespace: string
name: string
version: string
/**
 * The URN of its entity.
 */
urn: string
kind: ("wheel" | "module")
/**
 * The SHA-256 digest of the content, in hexadecimal.
 */
sha256: string
/**
 * The number of bytes.
 */
size: number
created: string
/**
 * The user who uploaded it.
 */
createdBy: string
plugins: {
/**
 * Who uses it: stages of pipelines, or system applications.
 */
use: ("pipeline" | "application")
type: string
name: string
title: string
description: string
/**
 * Its class, as `module:Class`.
 */
value: string
/**
 * The minimum and maximum number of input stages; null for no maximum.
 */
inputs: (number | null)[]
/**
 * The arguments of a run that it reads.
 */
arguments: string[]
/**
 * The JSON Schema of its properties.
 */
schema: {

}
}[]
}
/**
 * The file of an artifact.
 */
export interface ArtifactContent {
/**
 * The name of the file, under which Python imports it.
 */
file: string
/**
 * The SHA-256 digest of the content, in hexadecimal.
 */
sha256: string
/**
 * The content, in Base64.
 */
content: string
}
/**
 * The artifacts of a namespace, by name and version.
 */
export interface Artifacts {
artifacts: Artifact[]
/**
 * The position of the next page; null at the end.
 */
cursor: (string | null)
}
/**
 * The current version of an aspect.
 */
export interface Aspect {
name: string
scope: ("USER" | "SYSTEM")
version: number
value: {

}
actor: string
via: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
/**
 * DataHub's system metadata of the write (runId, lastObserved, ...).
 */
systemMetadata?: {

}
}
/**
 * Entries of the audit, newest first.
 */
export interface AuditEntries {
entries: AuditEntry[]
/**
 * The position of the next page, null at the end.
 */
cursor: (string | null)
}
/**
 * An entry of the audit: who read or changed what, by which program and run.
 */
export interface AuditEntry {
/**
 * The number of the entry; entries are numbered in the order in which they were stored.
 */
seq: number
time: string
/**
 * The user, or the service account of a program.
 */
user: string
/**
 * The kernel or service account whose token was used, null for a person.
 */
via: (string | null)
/**
 * The service token by which the request was authenticated. A later token of the same name has another id.
 */
token: ({
name: string
id: string
} | null)
/**
 * The URN of the program that the kernel executed, as far as it is recorded.
 */
program: (string | null)
/**
 * The URN of the run that the kernel executed, as far as it is recorded.
 */
run: (string | null)
/**
 * What was done; `access` is a run that read or wrote the data, `admin` what only admins may do.
 */
action: ("read" | "list" | "search" | "lineage" | "runs" | "relationships" | "changes" | "change" | "access" | "admin")
outcome: ("allowed" | "denied")
/**
 * The entity; empty if something else was requested, which `detail` names.
 */
urn: string
/**
 * Of a change, its kind and aspect; of a denial, the permission; of an access, its mode. Never a value.
 */
detail: string
/**
 * Whether the entity was marked as sensitive.
 */
sensitive: boolean
/**
 * The number of equal accesses within a second.
 */
count: number
}
/**
 * The result of comparing a part of the audit with its seals.
 */
export interface AuditVerification {
/**
 * How many entries were verified for this answer.
 */
entries: number
/**
 * A sentence for each difference between entries and their seals.
 */
problems: string[]
/**
 * The number of the last verified entry. Store it elsewhere with the hash, to notice if the newest entries are removed together with their seals.
 */
number: number
/**
 * The hash of all entries up to this number.
 */
hash: string
/**
 * The position of the next part, null at the end.
 */
cursor: (string | null)
}
/**
 * The cells of a notebook whose newest runs accessed data, at most 500, in the order of the query, else of their runs.
 */
export interface CellStates {
cells: {
/**
 * The id of the cell.
 */
cell: string
program: string
/**
 * The newest run of the cell.
 */
run: string
/**
 * When the run began.
 */
start: string
/**
 * `fresh` if nothing that the run read was written since, `unknown` if not all of it could be examined: of each input, the 50 newest runs that accessed it are.
 */
state: ("fresh" | "stale" | "unknown")
/**
 * The inputs that make the cell stale.
 */
changes: {
/**
 * A dataset, or a variable as another cell set it.
 */
data: string
/**
 * `written` if it was written after the cell read it, `stale` if it is the output of a stale cell.
 */
reason: ("written" | "stale")
/**
 * When the cell read it first.
 */
read: string
/**
 * When it was last written; null for the output of a stale cell.
 */
written: (string | null)
/**
 * The program that wrote it; null if the caller may not read it.
 */
program: (string | null)
run: (string | null)
/**
 * The present title of the program; absent if it has none.
 */
title?: string
}[]
}[]
}
/**
 * A notebook, and the cells that it has now.
 */
export interface CellStatesQuery {
/**
 * The path of the notebook, relative to the server's root.
 */
notebook: string
/**
 * The ids of its cells from top to bottom: cells that are not listed were deleted. Without it, the answer contains all cells that ran.
 */
cells?: string[]
}
/**
 * A committed change. aspect is null for the entity itself and for runs; value and previous are null if there is none.
 */
export interface Change {
seq: number
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
urn: string
type: string
namespace: string
name: string
aspect: (string | null)
operation: ("create" | "update" | "delete" | "rename" | "run-start" | "run-end" | "access")
version: number
scope: ("USER" | "SYSTEM")
actor: string
via: (string | null)
/**
 * The id of the service token by which the request was authenticated; absent without one.
 */
token?: string
run: (string | null)
previous: ({

} | null)
value: ({

} | null)
/**
 * What the change did, in one sentence: which members of the aspect were added, changed or removed, without values.
 */
summary: string
/**
 * DataHub's system metadata of the write (runId, lastObserved, ...).
 */
systemMetadata?: {

}
/**
 * The system metadata of the previous value.
 */
previousSystemMetadata?: {

}
}
/**
 * A page of the change log; pass cursor as `after` to read the next one.
 */
export interface Changes {
cursor: number
changes: Change[]
}
/**
 * What depends on a column, and what may use it: a change of the column would affect it.
 */
export interface ColumnImpact {
/**
 * The column.
 */
urn: string
levels: number
/**
 * The columns that depend on it, the nearest first.
 */
columns: {
urn: string
dataset: string
/**
 * The path of the column.
 */
column: string
namespace: string
/**
 * The name of the dataset.
 */
name: string
/**
 * The number of steps from the column.
 */
level: number
/**
 * `data` if values of the column flow into this one, `control` if they only affect its values or rows, as in a filter or a join.
 */
dependency: ("data" | "control")
/**
 * How it is derived in the last step.
 */
transformation: ("identity" | "transformation" | "aggregation" | "join" | "group_by" | "filter" | "sort" | "window" | "conditional" | "indirect")
/**
 * The program of the last step; null if the lineage is declared without a program.
 */
program: (string | null)
}[]
/**
 * Data and programs that use a table of one of these columns, while it is unknown which of its columns they use.
 */
mayUse: {
urn: string
type: string
namespace: string
name: string
/**
 * The title of the program; absent if there is none.
 */
title?: string
}[]
/**
 * Whether a limit was reached, so that the lists are incomplete.
 */
truncated: boolean
}
/**
 * A page of a schemaspace's instances, each with its metadata.
 */
export interface CompleteInstances {
/**
 * By name. Their `version` is null: it is not looked up.
 */
instances: Instance[]
cursor: (string | null)
}
/**
 * An instance of a schemaspace, valid or not. An unreadable one has empty metadata and the reason in problems.
 */
export interface Instance {
/**
 * The name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
display_name: string
/**
 * The name of the schema; `{unknown}` if it cannot be determined.
 */
schema_name: string
/**
 * The members that the schema describes. A secret is `{"$secret": true}`; sent back unchanged, it is kept.
 */
metadata: {

}
/**
 * Further members of the metadata class of the schema.
 */
extra: {

}
valid: boolean
/**
 * Empty if the instance is valid, else the cause: `ValidationError`, `ValueError` (unreadable), `SchemaNotFoundError`, or the name of another error.
 */
reason: string
/**
 * Validation errors, or warnings of a valid instance. The answer of a restore also lists secrets that are missing and have to be entered again.
 */
problems: {
/**
 * JSON Pointer into the instance; empty for the whole instance.
 */
pointer: string
message: string
}[]
/**
 * The version of the instance, which is also its ETag; null if the catalog is unavailable or has no version yet.
 */
version: (number | null)
/**
 * The time of the last change: ISO 8601, UTC, milliseconds; null if unknown.
 */
time: (string | null)
/**
 * Whether the instance can be deleted. False if it is in a shared or factory folder; changing it creates a copy.
 */
deletable: boolean
urn: string
/**
 * The path of the file, or the URN if there is no file.
 */
resource: string
}
/**
 * Proposals that could not be applied, or a change that could not be delivered, without values. time is when it was received, failed the time of the last attempt.
 */
export interface DeadLetter {
id: string
kind: string
actor: string
/**
 * The kernel that sent the proposals.
 */
via: (string | null)
run: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
/**
 * ISO 8601, UTC, milliseconds.
 */
failed: string
attempts: number
problem: Problem
/**
 * The sequence number of the change that a sink rejected; null for a batch of proposals.
 */
change: (number | null)
proposals: {
urn: string
aspect: (string | null)
operation: ("upsert" | "create" | "create-entity" | "update" | "patch" | "annotate" | "delete")
}[]
}
/**
 * An error (RFC 9457).
 */
export interface Problem {
type: string
title: string
status: number
detail: string
errors: {
/**
 * JSON Pointer into the request body; empty for the whole body.
 */
pointer: string
message: string
}[]
/**
 * The current URN of the requested entity, if it was renamed.
 */
renamedTo?: string
/**
 * The id of the proposal as which a change waits for review.
 */
proposal?: string
}
/**
 * The dead letter that was deleted.
 */
export interface DeadLetterDeleteResult {
id: string
}
/**
 * A page of dead letters, newest first.
 */
export interface DeadLetters {
deadLetters: DeadLetter[]
cursor: (string | null)
}
/**
 * A value that describes an entity or a column: a tag, a glossary term, an owner, a domain, a description, a property, a link, a name, a certification, the quality of a dataset, or the state or an assignee of a request, with its aspect and scope.
 */
export interface Descriptor {
kind: ("tag" | "term" | "owner" | "domain" | "description" | "property" | "link" | "name" | "certification" | "quality" | "state" | "assignee")
/**
 * The key for search queries.
 */
key: string
/**
 * The text as it was written; for a reference, the key of its URN.
 */
text: string
/**
 * The text to display: for a reference, the name of the referenced entity.
 */
name: string
/**
 * The URN of the referenced entity, if it is a reference.
 */
urn: (string | null)
aspect: string
scope: ("USER" | "SYSTEM")
/**
 * The entity that has the aspect: the described entity or, for a column, possibly its dataset.
 */
source: string
/**
 * The path of the described column; null for the entity itself.
 */
column: (string | null)
/**
 * Details: the type of an owner, the text of a link, the note of a certification.
 */
detail: string
}
/**
 * The names by which people know entities, by URN.
 */
export interface DisplayNames {
displayNames: {
[k: string]: string
}
}
/**
 * A page of entities.
 */
export interface Entities {
entities: EntitySummary[]
cursor: (string | null)
}
/**
 * An entity without its aspects.
 */
export interface EntitySummary {
urn: string
type: string
namespace: string
name: string
platform: (string | null)
created: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
updated: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
/**
 * True if the entity is soft-deleted (status.removed); absent otherwise.
 */
removed?: boolean
/**
 * The name by which people know the entity, if it has another one than the name in its URN: the step, the first comment or the heading of a notebook's cell, else the data that it writes (`→ orders`); the title of another program; the name of a tag, glossary term, domain, user or group.
 */
displayName?: string
}
/**
 * An entity with its aspects.
 */
export interface Entity {
urn: string
type: string
namespace: string
name: string
platform: (string | null)
created: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
updated: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
aspects: {
[k: string]: Aspect
}
/**
 * Descriptors of the entity and its columns from the aspects of this answer, user metadata first.
 */
descriptors: Descriptor[]
/**
 * True if the entity is soft-deleted (status.removed); absent otherwise.
 */
removed?: boolean
/**
 * The name by which people know the entity, if it has another one than the name in its URN: the step, the first comment or the heading of a notebook's cell, else the data that it writes (`→ orders`); the title of another program; the name of a tag, glossary term, domain, user or group.
 */
displayName?: string
}
/**
 * Properties and tags of an entity by scope; SYSTEM combines all machine-made metadata.
 */
export interface EntityMetadata {
urn: string
USER: {
properties: {
[k: string]: string
}
tags: string[]
version: number
}
SYSTEM: {
properties: {
[k: string]: string
}
tags: string[]
version: number
}
}
/**
 * The new name of a dataset, in the same namespace, platform and fabric, or of the program of a notebook.
 */
export interface EntityRename {
/**
 * The new URN, which no entity may have.
 */
to: string
/**
 * The run that renames the dataset. With a kernel's token, it must be a run of that kernel. Ignored for notebooks, which kernels may not rename.
 */
run?: (string | null)
}
/**
 * An entity type with what a form needs.
 */
export interface EntityType {
type: string
title: string
keyAspect: string
aspects: {
name: string
title: string
scope: ("USER" | "SYSTEM")
/**
 * Whether this is the key aspect, which is derived from the URN and cannot be written.
 */
key: boolean
/**
 * Whether a form offers the aspect for entities that do not have it yet.
 */
editableByDefault: boolean
/**
 * Whether values are appended by time instead of versioned.
 */
timeseries: boolean
schema: {

}
uihints: {

}
/**
 * The members of a value that the descriptors of an entity include completely.
 */
described: string[]
}[]
}
/**
 * Entities, by URN.
 */
export interface EntityUrns {
urns: string[]
}
/**
 * The erasure of a person. The name of the person is not part of it.
 */
export interface Erasure {
/**
 * What replaces the names of the person.
 */
pseudonym: string
/**
 * The user who started the erasure.
 */
requestedBy: string
started: string
/**
 * The place where names are being replaced; `finished` at the end.
 */
step: string
/**
 * When it ended; null while it runs.
 */
finished: (string | null)
/**
 * The number of records that were changed, by place.
 */
changed: {
[k: string]: number
}
/**
 * Why the erasure has stopped; empty if it has not. Starting it again continues it.
 */
problem: string
}
/**
 * All erasures, the newest first.
 */
export interface Erasures {
erasures: Erasure[]
}
/**
 * Versions that the rules do not keep, by namespace, entity type and aspect.
 */
export interface ExpiredVersions {
/**
 * Whether they were only counted.
 */
dryRun: boolean
expired: {
namespace: string
/**
 * The entity type.
 */
type: string
aspect: string
/**
 * The number of versions.
 */
versions: number
}[]
/**
 * Where to continue; null at the end.
 */
cursor: (string | null)
}
/**
 * The fields of a dataset that have metadata, sorted by name.
 */
export interface Fields {
urn: string
fields: string[]
}
/**
 * A page of the fields of a dataset that have metadata, in an aspect of the field or of the dataset: properties and tags by scope, and descriptors.
 */
export interface FieldsMetadata {
urn: string
fields: {
name: string
urn: string
USER: {
properties: {
[k: string]: string
}
tags: string[]
version: number
}
SYSTEM: {
properties: {
[k: string]: string
}
tags: string[]
version: number
}
/**
 * Descriptors of the column with their aspects, user metadata first.
 */
descriptors: Descriptor[]
}[]
cursor: (string | null)
}
/**
 * The health of the service and its parts.
 */
export interface Health {
/**
 * `down`: the store does not accept writes; `overloaded`: requests have been refused because of the load for 30 seconds.
 */
status: ("ok" | "overloaded" | "down")
version: string
store: {
provider: string
status: ("ok" | "down")
detail: string
journalMode: string
}
changeLog: {
/**
 * The sequence number of the newest change; null if the store is unavailable.
 */
head: (number | null)
}
/**
 * Number of subscribers of the change log; null if the store is unavailable.
 */
subscribers: (number | null)
/**
 * Number of kernels with a token.
 */
kernelTokens: number
/**
 * Number of batches that are not applied yet; null if the store is unavailable.
 */
inbox: {
pending: (number | null)
}
/**
 * Number of dead letters; null if the store is unavailable.
 */
deadLetters: (number | null)
/**
 * Lineage listeners of installed packages, with the numbers of delivered and failed runs.
 */
lineageListeners: {
name: string
distribution: string
version: string
delivered: number
failed: number
/**
 * Whether a call of the listener timed out; it is not called again.
 */
timedOut: boolean
/**
 * The error on loading, or the last error that it raised.
 */
problem: string
/**
 * The sequence number of the last change that was delivered; null before the first delivery.
 */
cursor: (number | null)
}[]
/**
 * Schemaspaces and schemas that did not load.
 */
schemaspaces: {
problems: {
kind: ("schemaspace" | "schemas provider" | "schema")
/**
 * The name of the entry point; for a schema, `entry point/schema`.
 */
source: string
distribution: string
version: string
reason: string
/**
 * Whether loading timed out; it is added when it completes.
 */
timedOut: boolean
}[]
}
/**
 * Errors of the entity-registry.yml. Affected aspects are kept and can be read as stored.
 */
registry: {
problems: {
/**
 * The location in the file; empty for the whole file.
 */
pointer: string
message: string
}[]
}
/**
 * The store of instances of schemaspaces (`file`, `catalog`, or the name of another store), and whether the Elyra API is served.
 */
instances: {
store: string
elyraApi: boolean
}
/**
 * Work that follows changes in the background; empty if the store is unavailable.
 */
backgroundWork: {
/**
 * `feed`: this process passes changes to subscribers, sinks and listeners; `seals`: changes are sealed; `audit`: accesses are stored and sealed; `inbox`: batches are applied. The last three may be done by any process.
 */
name: ("feed" | "seals" | "audit" | "inbox")
/**
 * Number of changes, entries or batches that wait.
 */
pending: number
/**
 * Since when the first of them waits.
 */
oldestPending: (string | null)
/**
 * For how long something has waited without progress; 0 if nothing waits.
 */
stalledSeconds: number
/**
 * The error of the last attempt of this process; empty if it succeeded.
 */
problem: string
}[]
/**
 * The sinks of changes with their progress; empty if the store is unavailable.
 */
sinks: {
name: string
kind: string
/**
 * Number of changes that are not delivered yet.
 */
lag: number
/**
 * The time of the oldest pending change.
 */
oldestPending: (string | null)
/**
 * Number of attempts to deliver the oldest pending change.
 */
attempts: number
/**
 * The error of the last delivery; empty if it succeeded.
 */
problem: string
/**
 * Number of changes that were removed from the change log before they could be delivered.
 */
skipped: number
deadLetters: number
}[]
/**
 * Access policies.
 */
access: {
/**
 * Whether access policies are in force: what they do not grant is denied.
 */
inForce: boolean
/**
 * Policies that cannot be used, and why; empty for callers who are not admins.
 */
problems: {
/**
 * The file, or the URN.
 */
policy: string
problem: string
}[]
}
/**
 * The load of this process; null where it is not measured.
 */
load: ({
/**
 * The kinds of requests that are refused now.
 */
refused: ("query" | "read" | "write")[]
/**
 * For how long requests have been refused, with short pauses; 0 if none was refused in the last 10 seconds.
 */
overloadedSeconds: number
/**
 * How long requests wait to be served.
 */
delayMs: number
/**
 * The delay from which requests are refused; null without a limit.
 */
delayLimitMs: (number | null)
/**
 * The resident memory; null where the system does not report it.
 */
memoryBytes: (number | null)
/**
 * The resident memory from which requests are refused; null if it is unknown.
 */
memoryLimitBytes: (number | null)
} | null)
/**
 * The worker processes of system applications in this server.
 */
systemAppWorkers: {
/**
 * The share of this server in the requested number.
 */
requested: number
running: number
/**
 * The processes that were started in place of others that failed.
 */
restarts: number
}
/**
 * What system applications cannot do in the background; each count is null if the store is unavailable.
 */
systemApps: {
/**
 * Number of events that listeners could not handle, and that are not retried any more.
 */
parkedEvents: (number | null)
/**
 * Number of schedules whose last run failed.
 */
failingSchedules: (number | null)
/**
 * Number of calls of listeners and schedules in this server that did not return in time, and still run.
 */
hangingCalls: (number | null)
}
}
/**
 * Entities with their ancestors, such as the term groups above a glossary term.
 */
export interface Hierarchy {
entities: {
urn: string
/**
 * The ancestors, the top first.
 */
ancestors: {
urn: string
name: string
}[]
}[]
}
/**
 * A batch that is applied asynchronously, with its state; `review` means that a steward applies or rejects it. problem and deadLetter are null unless it was rejected.
 */
export interface InboxEntry {
id: string
state: ("pending" | "review" | "applied" | "rejected")
/**
 * When the batch was received.
 */
time: string
results: WriteResult[]
problem: (Problem | null)
/**
 * The id of the dead letter that contains the batch.
 */
deadLetter: (string | null)
}
/**
 * The result of a write. version is -1 after a deletion; seq is null if nothing changed.
 */
export interface WriteResult {
urn: string
aspect: (string | null)
version: number
seq: (number | null)
changed: boolean
/**
 * Whether the proposal was skipped because the aspect or the entity exists (ifAbsent).
 */
skipped?: boolean
}
/**
 * Instances of a schemaspace for export and import.
 */
export interface InstanceBundle {
/**
 * The schemaspace that they were exported from; set in exports.
 */
schemaspace?: string
instances: {
/**
 * The name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
}[]
}
/**
 * The deleted instance.
 */
export interface InstanceDeleteResult {
/**
 * The name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
urn: string
/**
 * The last version, which `restore` takes to undo the deletion; null if the catalog is unavailable.
 */
version: (number | null)
/**
 * Whether an instance of the same name in a shared or factory folder is visible now.
 */
sharedInstanceVisible: boolean
}
/**
 * The content of an instance. The name of a new instance is derived from display_name by default; the name of an existing one cannot change.
 */
export interface InstanceEdit {
/**
 * The name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name?: string
display_name?: string
schema_name: string
/**
 * The members that the schema describes. A secret is `{"$secret": true}`; sent back unchanged, it is kept.
 */
metadata: {

}
/**
 * Further members for the metadata class of the schema.
 */
extra?: {

}
}
/**
 * The instances to export; by default, all valid ones.
 */
export interface InstanceExport {
/**
 * Export only these instances.
 */
names?: string[]
/**
 * Export only instances of this schema.
 */
schema?: string
/**
 * Include invalid instances unchanged, except unreadable ones.
 */
includeInvalid?: boolean
/**
 * Include secrets in clear text, instead of `{"$secret": true}`.
 */
includeSecrets?: boolean
}
/**
 * The results of an import, or of its dry run.
 */
export interface InstanceImport {
dryRun: boolean
results: {
name: string
/**
 * `conflict`: a different instance of this name exists and `overwrite` was not set; `problems` has the first differences. `invalid`: also if it contains `{"$secret": true}` and no secret is stored here.
 */
outcome: ("created" | "updated" | "unchanged" | "conflict" | "invalid" | "failed")
/**
 * The cause of a failure; empty on success.
 */
reason: string
problems: {
/**
 * JSON Pointer into the instance; empty for the whole instance.
 */
pointer: string
message: string
}[]
}[]
/**
 * Number of instances by outcome.
 */
counts: {
created: number
updated: number
unchanged: number
conflict: number
invalid: number
failed: number
}
}
/**
 * The version to restore.
 */
export interface InstanceRestore {
version: number
}
/**
 * An instance in the list of a schemaspace.
 */
export interface InstanceSummary {
/**
 * The name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
display_name: string
/**
 * The name of the schema; `{unknown}` if it cannot be determined.
 */
schema_name: string
tags: string[]
description: string
/**
 * The language of a code snippet; null for other instances.
 */
language?: (string | null)
valid: boolean
/**
 * Empty if the instance is valid, else the cause: `ValidationError`, `ValueError` (unreadable), `SchemaNotFoundError`, or the name of another error.
 */
reason: string
/**
 * The first validation error; empty if the instance is valid.
 */
problem: string
/**
 * The version of the instance, which is also its ETag; null if the catalog is unavailable or has no version yet.
 */
version: (number | null)
/**
 * The time of the last change: ISO 8601, UTC, milliseconds; null if unknown.
 */
time: (string | null)
/**
 * Whether the instance can be deleted. False if it is in a shared or factory folder; changing it creates a copy.
 */
deletable: boolean
urn: string
}
/**
 * The values of one property of the instances of a schemaspace with their numbers, most frequent first.
 */
export interface InstanceValues {
values: {
value: (string | number | boolean)
count: number
}[]
/**
 * Whether there are more values: an answer has at most the 500 most frequent values and 4 MiB.
 */
truncated: boolean
}
/**
 * A page of the instances of a schemaspace. total, tags and schemas count the instances that match q, schema and valid: tags without the filter `tag`, schemas without the filter `schema`.
 */
export interface Instances {
instances: InstanceSummary[]
total: number
/**
 * Sorted by name.
 */
tags: {
name: string
count: number
}[]
/**
 * Sorted by name.
 */
schemas: {
name: string
count: number
}[]
cursor: (string | null)
}
/**
 * A service token that was just created or rotated. It is in no other answer.
 */
export interface IssuedServiceToken {
/**
 * Distinguishes the token from an earlier one of the same name; a rotation leaves it unchanged. The change log and the audit name it.
 */
id: string
/**
 * The name of the program. Its account in the change log is `service:` and this name.
 */
name: string
scopes: ("read" | "annotate" | "emit" | "admin")[]
/**
 * The only namespaces that the token gives access to; null for all.
 */
namespaces: (string[] | null)
createdBy: string
created: string
expires: string
/**
 * When the token was last replaced.
 */
rotated: (string | null)
/**
 * Until when the token before the last rotation is accepted; null if it ended with the rotation.
 */
previousExpires: (string | null)
/**
 * When the token was last used, recorded at most once a minute; null if it was never used.
 */
lastUsed: (string | null)
/**
 * The token, for the header `Authorization: Bearer …`.
 */
token: string
}
/**
 * When a kernel ended.
 */
export interface KernelEnd {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
}
/**
 * How many runs of a kernel were unfinished, and are recorded as killed.
 */
export interface KernelEndResult {
ended: number
}
/**
 * The values of a metadata key with the number of entities that have them.
 */
export interface KeyValues {
values: {
value: string
entities: number
}[]
/**
 * Whether there may be more: with `asOf` or `scope`, a limited number of values of a namespace is examined.
 */
isLowerBound: boolean
cursor: (string | null)
}
/**
 * Metadata keys with the number of entities that have them.
 */
export interface Keys {
keys: {
key: string
kind: ("property" | "tag" | "field")
scope: ("USER" | "SYSTEM")
entities: number
/**
 * The number of different current values, with `countValues`; absent for tags.
 */
values?: {
count: number
/**
 * Whether there are more.
 */
isLowerBound: boolean
}
}[]
/**
 * Whether there may be more: with `asOf`, a limited number of values of a namespace is examined.
 */
isLowerBound: boolean
cursor: (string | null)
}
/**
 * A bounded part of the lineage graph around one entity. One level is data, program, data.
 */
export interface Lineage {
urn: string
direction: ("both" | "upstream" | "downstream" | "undirected")
levels: number
/**
 * ISO 8601, UTC, milliseconds.
 */
start: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
end: (string | null)
nodes: LineageNode[]
edges: LineageEdge[]
columns: {
source: string
sourceField: string
target: string
targetField: string
/**
 * Null if the lineage is declared without a program.
 */
program: (string | null)
transformation: ("identity" | "transformation" | "aggregation" | "join" | "group_by" | "filter" | "sort" | "window" | "conditional" | "indirect")
}[]
/**
 * Whether the answer is incomplete: relations, edges between columns, components of an edge, runs that were not counted, edges beyond 16 MiB, or a time limit.
 */
truncated: boolean
/**
 * The nodes from which POST /lineage/next can continue.
 */
frontier: string[]
/**
 * The time of the state of the catalog; null is now.
 */
asOf: (string | null)
}
/**
 * Data or a program in a lineage graph.
 */
export interface LineageNode {
urn: string
type: ("dataset" | "mlModel" | "dataJob" | "custom")
namespace: string
name: string
platform: (string | null)
/**
 * Levels from the focus; negative upstream. 0 is the focus.
 */
level: number
deleted: boolean
/**
 * Numbers of neighbors that are not in this answer.
 */
notShown: {
upstream: number
downstream: number
/**
 * Whether counting stopped at a limit: the counts are lower bounds.
 */
isLowerBound?: true
}
/**
 * The title of the program, such as the name of a step, the first comment of a cell or the heading above it; absent if there is none.
 */
title?: string
}
/**
 * A read is an edge from data to a program, a write from a program to data, declared lineage from data to data.
 */
export interface LineageEdge {
source: string
target: string
access: ("read" | "write" | "both" | "unknown" | "declared")
/**
 * Newest first, at most 10.
 */
runs: string[]
/**
 * Number of runs. With `asOf`, only the newest 1,000 runs of an edge are counted; if there are more, the answer is `truncated`.
 */
runCount: number
/**
 * ISO 8601, UTC, milliseconds.
 */
start: string
/**
 * ISO 8601, UTC, milliseconds.
 */
end: (string | null)
/**
 * At most 20; if there are more, the answer is `truncated`.
 */
components: string[]
/**
 * Who recorded the newest run, or who declared the edge.
 */
reportedBy: string
/**
 * Whether the edge is declared, without runs: it is valid from start to end.
 */
declared: boolean
/**
 * The statements of the program that made the accesses: data flows from an incoming edge to an outgoing edge if both have none, or one in common. An empty name stands for accesses without a statement. At a program that is the focus, the statements of the newest runs.
 */
statements: string[]
/**
 * The versions of a Delta or Iceberg table that the newest runs read or wrote, newest run first, at most 20. Absent if unknown, with `asOf`, and in answers with more than 500 edges.
 */
tableVersions?: string[]
}
/**
 * Edges that were added, removed and changed between two times. An edge exists at a time if one of its runs was in the window before it.
 */
export interface LineageDiff {
urn: string
direction: ("both" | "upstream" | "downstream" | "undirected")
levels: number
/**
 * ISO 8601, UTC, milliseconds.
 */
from: string
/**
 * ISO 8601, UTC, milliseconds.
 */
to: string
/**
 * The length of the window in milliseconds.
 */
window: number
added: LineageEdge[]
removed: LineageEdge[]
/**
 * The edges that exist at both times and differ, as they are at the later one: in how the program accesses the data, in the columns that it derives, in its code, or in its statements. The newest runs before both times are compared.
 */
changed: {
edge: LineageEdge
changes: ("access" | "columns" | "program" | "statements")[]
}[]
nodes: LineageNode[]
/**
 * Whether the answer is incomplete: relations, components of an edge, runs that were not counted, or edges beyond 16 MiB.
 */
truncated: boolean
}
/**
 * Numbers of downstream entities, which a change would affect; the most frequent first.
 */
export interface LineageImpact {
urn: string
levels: number
/**
 * ISO 8601, UTC, milliseconds.
 */
start: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
end: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
asOf: (string | null)
total: number
byType: {
name: string
count: number
}[]
/**
 * By owner; the empty name counts entities without an owner.
 */
byOwner: {
name: string
count: number
}[]
byNamespace: {
name: string
count: number
}[]
truncated: boolean
}
/**
 * The tags and owners of nodes of a lineage graph.
 */
export interface LineageLabels {
nodes: {
urn: string
tags: string[]
/**
 * The first owner; those assigned by users come first.
 */
owner: (string | null)
}[]
}
/**
 * A continuation of a lineage graph from the frontier of a previous answer; nodes in visited are not followed again.
 */
export interface LineageNext {
frontier: string[]
visited?: string[]
direction?: ("both" | "upstream" | "downstream" | "undirected")
levels?: number
limit?: number
start?: (string | null)
end?: (string | null)
asOf?: (string | null)
columns?: boolean
}
/**
 * Nodes of a lineage graph, by URN.
 */
export interface LineageNodes {
urns: string[]
}
/**
 * All shortest paths on which data flows from one node to another.
 */
export interface LineagePath {
from: string
to: string
/**
 * ISO 8601, UTC, milliseconds.
 */
start: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
end: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
asOf: (string | null)
/**
 * The length of the paths; null if there is none.
 */
levels: (number | null)
/**
 * Number of paths.
 */
count: number
/**
 * The first paths, each a list of nodes.
 */
paths: string[][]
nodes: LineageNode[]
edges: LineageEdge[]
/**
 * Whether the search was incomplete and found no path, or edges are incomplete: components, runs that were not counted, or edges beyond 16 MiB.
 */
truncated: boolean
}
/**
 * A bulk load of proposals with its progress; each row is counted once, even if its batch is repeated.
 */
export interface Load {
id: string
state: ("open" | "committed" | "aborted")
opened: string
/**
 * When the last batch was received, or when the load ended.
 */
updated: string
batches: number
/**
 * Number of rows that changed something.
 */
written: number
/**
 * Number of rows that changed nothing.
 */
unchanged: number
rejected: number
}
/**
 * A batch of a load, identified by partition and number: a repeated batch gets its first answer, a different batch with the same numbers is rejected. Each row must be a Proposal; invalid rows are rejected individually.
 */
export interface LoadBatch {
partition: number
number: number
rows: unknown[]
}
/**
 * The result of a batch of a load: all rows that are not rejected are applied.
 */
export interface LoadBatchResult {
written: number
unchanged: number
rejected: {
/**
 * The index of the row in the batch.
 */
row: number
urn: (string | null)
problem: Problem
}[]
}
/**
 * The end of a load: no further batches are accepted. Applied rows are kept in either case.
 */
export interface LoadEnd {
state: ("committed" | "aborted")
}
/**
 * A page of the rejected rows of a load, in their order; the first 10,000 are kept.
 */
export interface LoadRejections {
rejections: {
partition: number
number: number
row: number
urn: (string | null)
problem: Problem
}[]
cursor: (string | null)
}
/**
 * The authenticated user and the permissions.
 */
export interface Me {
user: {
username: string
name: string
}
/**
 * The id of the kernel, or the account of the service token, that was used; null for a person.
 */
via: (string | null)
scopes: ("read" | "annotate" | "emit" | "admin")[]
/**
 * The only namespaces that the token gives access to; null for all.
 */
namespaces: (string[] | null)
/**
 * How much of the catalog the token and the access policies permit to read, whatever it contains: nothing if no rule grants the user the permission `read`.
 */
readable: ("everything" | "part" | "nothing")
/**
 * Whom to ask for permissions: the users and teams of the setting `stewards`.
 */
stewards: string[]
version: string
}
/**
 * The members of a team, and the teams of which a user is a member.
 */
export interface Memberships {
urn: string
members: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}[]
teams: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}[]
}
/**
 * The result of migrating the instances of a schemaspace, or of its dry run.
 */
export interface Migration {
dryRun: boolean
/**
 * Instances that were migrated or, with dryRun, would be.
 */
migrated: string[]
/**
 * Schemas whose provider raised an error.
 */
failed: {
schema: string
reason: string
}[]
/**
 * Schemas whose provider supports no dry run. Empty without dryRun.
 */
withoutDryRun: string[]
}
/**
 * The URN of the caller, and the teams of which the caller is a member.
 */
export interface MyTeams {
user: string
/**
 * Whether the settings name the caller, or a team of the caller, as steward.
 */
isSteward: boolean
teams: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}[]
}
/**
 * The part of a namespace to export.
 */
export interface NamespaceExport {
namespace: string
/**
 * Export only these entity types.
 */
types?: string[]
/**
 * Export only these aspects.
 */
aspects?: string[]
}
/**
 * The results of an import, or of its dry run.
 */
export interface NamespaceImport {
dryRun: boolean
/**
 * Number of lines by outcome. `updated`: only the line was changed; `kept`: only the catalog was changed; `merged`: both were changed, at different locations; `review`: a policy requires review of the change, which waits for it.
 */
counts: {
created?: number
unchanged?: number
updated?: number
merged?: number
kept?: number
overwritten?: number
conflict?: number
review?: number
}
/**
 * Lines whose change conflicts with one in the catalog, or whose origin is unknown; they are not applied. At most 500.
 */
conflicts: {
urn: string
aspect: string
line: number
}[]
}
/**
 * A renamed or moved notebook, or a folder with notebooks.
 */
export interface NotebooksRename {
/**
 * The former path, below the root of the server with the notebooks.
 */
from: string
/**
 * The present path.
 */
to: string
/**
 * The namespace of the notebooks. By default, that of the caller's notebooks.
 */
namespace?: string
}
/**
 * How many recorded notebooks have new paths.
 */
export interface NotebooksRenameResult {
renamed: number
}
/**
 * Those of the entities that the caller or a team of the caller owns.
 */
export interface OwnedEntities {
urns: string[]
}
/**
 * A request to the owners of an entity or a column.
 */
export interface OwnerRequest {
urn: string
/**
 * The entity or the column.
 */
about: string
kind: ("describe" | "read" | "check" | "other" | "change")
text: string
/**
 * The id of the proposal, if the request is to apply one (kind `change`).
 */
proposal: (string | null)
author: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}
assignees: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}[]
state: ("open" | "answered" | "declined")
/**
 * ISO 8601, UTC, milliseconds.
 */
created: string
/**
 * ISO 8601, UTC, milliseconds.
 */
updated: string
comments: {
author: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
text: string
}[]
}
/**
 * A new request. Without assignees, it is assigned to the owners of the entity, then of the table of a column, then of the domains, then to the stewards of the settings.
 */
export interface OwnerRequestCreation {
/**
 * The entity or the column.
 */
about: string
kind?: ("describe" | "read" | "check" | "other")
text: string
/**
 * URNs of users and teams, or texts as owners have them.
 */
assignees?: string[]
}
/**
 * A comment on a request, another state, other assignees, or the access that it asks for; at least one of them.
 */
export interface OwnerRequestResponse {
text?: string
state?: ("open" | "answered" | "declined")
/**
 * URNs of users and teams, or texts as owners have them.
 */
assignees?: string[]
/**
 * Grant the author read access to the entity, by a rule of the access policy `granted-requests`, and answer the request. Only for requests of the kind `read`, by those who may change access policies.
 */
grant?: "read"
}
/**
 * A page of requests, the last changed first.
 */
export interface OwnerRequests {
requests: {
urn: string
/**
 * The entity or the column.
 */
about: string
kind: ("describe" | "read" | "check" | "other" | "change")
text: string
/**
 * The id of the proposal, if the request is to apply one (kind `change`).
 */
proposal: (string | null)
author: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}
assignees: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}[]
state: ("open" | "answered" | "declined")
/**
 * ISO 8601, UTC, milliseconds.
 */
created: string
/**
 * ISO 8601, UTC, milliseconds.
 */
updated: string
comments: {
author: {
/**
 * The URN of a user or a team, or the text of an owner.
 */
owner: string
name: string
}
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
text: string
}[]
}[]
/**
 * The number of matching requests.
 */
total: number
cursor: (string | null)
/**
 * Whether the caller may grant the access that requests of the kind `read` ask for: access policies are in force, and the caller may change them.
 */
mayGrant: boolean
}
/**
 * A person, by the name of the user.
 */
export interface Person {
/**
 * The name of the user, as the change log has it.
 */
person: string
}
/**
 * A pipeline to validate: a stored one by its name, or a document.
 */
export interface PipelineCheck {
/**
 * Its name in the schemaspace `pipelines`.
 */
name: string
/**
 * The instance: `display_name`, `schema_name`, `metadata`.
 */
document?: {

}
/**
 * Arguments of a run, in addition to those of the pipeline.
 */
arguments?: {
[k: string]: (string | number | boolean)
}
}
/**
 * The validation errors of a pipeline, and the order of its stages.
 */
export interface PipelineCheckResult {
valid: boolean
/**
 * The names of the stages in order, if the pipeline is valid.
 */
order: string[]
/**
 * The names of the arguments that the pipeline reads.
 */
arguments: string[]
/**
 * The columns of the output of stages, as far as they are known without running them.
 */
columns: {
stage: string
columns: string[]
}[]
problems: {
/**
 * A JSON Pointer into the instance.
 */
pointer: string
message: string
}[]
}
/**
 * A preview or a run of a pipeline, or a check of a dataset, that a user started on a server. It is available to this user until the server ends, or has finished many more.
 */
export interface PipelineExecution {
id: string
kind: ("preview" | "run" | "check")
/**
 * The name of the pipeline; empty for a check.
 */
pipeline: string
/**
 * The URN of the dataset of a check; null for a pipeline.
 */
dataset: (string | null)
/**
 * The URN of the run; it can be read when Spark has started. Null for a preview.
 */
run: (string | null)
/**
 * A preview also succeeds if it shows the error of a stage.
 */
status: ("running" | "succeeded" | "failed" | "killed")
/**
 * ISO 8601, UTC, milliseconds.
 */
started: string
/**
 * ISO 8601, UTC, milliseconds.
 */
ended: (string | null)
/**
 * The complete message of the error, which may contain values of data; or empty.
 */
problem: string
/**
 * The end of the output of the process.
 */
log: string
/**
 * The output of the stages of a preview, in order, up to the first one that failed.
 */
stages: {
stage: string
columns: {
name: string
/**
 * The type in Spark SQL.
 */
type: string
}[]
/**
 * Values by column; a null is omitted.
 */
rows: {

}[]
/**
 * Why the stage failed, or empty.
 */
error: string
}[]
}
/**
 * A pipeline and the code that runs it, for `spark-submit`.
 */
export interface PipelinePackage {
/**
 * The name of the zip file.
 */
file: string
/**
 * The zip file, in Base64.
 */
content: string
/**
 * The command that runs it, in the folder in which it was unpacked.
 */
command: string
}
/**
 * The plugins for stages of pipelines.
 */
export interface PipelinePlugins {
plugins: {
type: ("source" | "transform" | "aggregator" | "joiner" | "sink" | "action")
name: string
title: string
description: string
/**
 * The minimum and maximum number of input stages; null for no maximum.
 */
inputs: (number | null)[]
/**
 * The JSON Schema of a stage's properties.
 */
schema: {

}
}[]
/**
 * Entry points that could not be loaded as plugins.
 */
problems: {
plugin: string
reason: string
}[]
}
/**
 * A preview of a pipeline: of a stored one by its name, or of a document.
 */
export interface PipelinePreviewStart {
/**
 * Its name in the schemaspace `pipelines`.
 */
name: string
/**
 * The instance: `display_name`, `schema_name`, `metadata`.
 */
document?: {

}
/**
 * Arguments of a run, in addition to those of the pipeline.
 */
arguments?: {
[k: string]: (string | number | boolean)
}
/**
 * Preview only this stage and those that lead to it; the others need not be valid.
 */
stage?: string
/**
 * The number of rows of each stage; by default 20.
 */
rows?: number
}
/**
 * A run of a stored pipeline.
 */
export interface PipelineRunStart {
/**
 * Its name in the schemaspace `pipelines`.
 */
name: string
/**
 * Arguments of a run, in addition to those of the pipeline.
 */
arguments?: {
[k: string]: (string | number | boolean)
}
}
/**
 * The schedules of pipelines with their state.
 */
export interface PipelineSchedules {
/**
 * Whether this server starts scheduled runs (c.Colophon.max_scheduled_runs).
 */
schedulerEnabled: boolean
schedules: {
name: string
pipeline: string
namespace: string
/**
 * An ISO 8601 duration, or empty.
 */
every: string
/**
 * A cron expression in UTC, or empty.
 */
cron: string
/**
 * Whether changes trigger the pipeline.
 */
onChange: boolean
enabled: boolean
/**
 * The time of the next run.
 */
nextRun: (string | null)
/**
 * The start of the last run.
 */
started: (string | null)
/**
 * The end of the last run.
 */
ended: (string | null)
/**
 * The id of the last run, or empty.
 */
run: string
/**
 * The state of the last run; `rejected` if it could not be started.
 */
status: ("" | "running" | "succeeded" | "failed" | "killed" | "rejected")
/**
 * Number of consecutive failures that are being retried.
 */
attempts: number
/**
 * Why the pipeline is not scheduled or its last run did not start; or empty.
 */
problem: string
}[]
}
/**
 * The access policies: those of the catalog, then those of files, each by name.
 */
export interface Policies {
/**
 * Whether access policies are in force: what they do not grant is denied.
 */
inForce: boolean
/**
 * The folder of the files; null if there is none.
 */
folder: (string | null)
/**
 * Who may do everything, by the settings: users, and groups as `group:NAME`.
 */
admins: string[]
/**
 * The groups of the settings with their members. The identity provider may have more.
 */
groups: {
name: string
users: string[]
}[]
policies: {
/**
 * The URN of the policy, or the path of its file.
 */
policy: string
name: string
/**
 * Whether it is stored in the catalog, or a file of the folder.
 */
origin: ("catalog" | "file")
/**
 * The first 200 characters.
 */
description: string
enabled: boolean
/**
 * The number of rules.
 */
rules: number
/**
 * Whom the rules concern, at most 20.
 */
to: string[]
/**
 * Why it cannot be used; empty if it can. If a policy is changed so that it cannot be used, its last usable rules stay in force.
 */
problem: string
}[]
}
/**
 * An access policy to check.
 */
export interface PolicyCheck {
/**
 * The URN of the stored policy that the document would replace.
 */
policy?: string
/**
 * The value of the aspect `accessRules`.
 */
document: {

}
}
/**
 * What is wrong with an access policy.
 */
export interface PolicyCheckResult {
/**
 * Why it cannot be used; empty if it can.
 */
problems: {
/**
 * A JSON Pointer into the document.
 */
pointer: string
message: string
}[]
/**
 * Names of groups, namespaces, entity types, tags and domains that nothing has, at most 100.
 */
warnings: {
/**
 * A JSON Pointer into the document.
 */
pointer: string
message: string
}[]
/**
 * Whether the caller is still an admin with the document in place of the policy; null if it is invalid.
 */
staysAdmin: (boolean | null)
}
/**
 * The rules of an access policy.
 */
export interface PolicyContent {
/**
 * The URN of the policy, or the path of its file.
 */
policy: string
name: string
/**
 * Whether it is stored in the catalog, or a file of the folder.
 */
origin: ("catalog" | "file")
/**
 * The value of the aspect `accessRules`, or the content of the file; null if the file cannot be read.
 */
document: ({

} | null)
/**
 * The line of each rule in its file; empty for a stored policy.
 */
lines: number[]
/**
 * Why it cannot be used; empty if it can.
 */
problem: string
}
/**
 * A proposed change of an aspect. Without aspect, delete deletes the entity and create creates it. ifVersion -1 means: only if absent.
 */
export interface Proposal {
urn: string
aspect?: string
operation: ("upsert" | "create" | "create-entity" | "update" | "patch" | "annotate" | "delete")
/**
 * The aspect's value; for patch, a JSON Patch (list), one in DataHub's form (object with patch) or a merge patch (object); for annotate, an Annotation.
 */
value?: ({

} | unknown[])
ifVersion?: number
/**
 * Leave an existing value unchanged, without an error.
 */
ifAbsent?: boolean
/**
 * URN of the run that wrote it.
 */
run?: string
/**
 * DataHub's system metadata of the write; other members are kept.
 */
systemMetadata?: {
runId?: string
lastObserved?: number
lastRunId?: string
pipelineName?: string
registryName?: string
registryVersion?: string
version?: string
properties?: {
[k: string]: string
}
}
}
/**
 * What happens to a change that waits for review: stewards `apply` or `reject` it, its author may `withdraw` it, and either may bring it up to date (`rebase`) after the entity has changed.
 */
export interface ProposalDecision {
decision: ("apply" | "reject" | "withdraw" | "rebase")
/**
 * A comment for the author.
 */
text?: string
}
/**
 * The outcome of each proposal of a batch, in its order.
 */
export interface ProposalOutcomes {
/**
 * Whether nothing was changed.
 */
dryRun: boolean
outcomes: {
urn: string
aspect: (string | null)
/**
 * The version of the aspect: after the change, or with dryRun the current one; -1 if the aspect is absent. Null if the proposal is rejected.
 */
version: (number | null)
changed: boolean
/**
 * Why the proposal is rejected.
 */
problem: (Problem | null)
/**
 * With dryRun, the current value of the aspect.
 */
before?: ({

} | null)
/**
 * With dryRun, the value that the aspect would have.
 */
after?: ({

} | null)
}[]
}
/**
 * A change that waits for review, with the request to apply it; for a day after the decision, its outcome without the changes.
 */
export interface ProposalReview {
id: string
state: ("waiting" | "applied" | "rejected")
request: OwnerRequest
/**
 * When it is rejected unless someone decides before.
 */
expires: (string | null)
/**
 * Whether the caller may apply or reject it.
 */
mayDecide: boolean
/**
 * Whether the caller proposed it.
 */
mayWithdraw: boolean
/**
 * Whether an aspect has changed since: it must be brought up to date before it is applied.
 */
isOutdated: boolean
changes: {
urn: string
/**
 * Null if the entity is created or deleted.
 */
aspect: (string | null)
operation: ("upsert" | "create" | "create-entity" | "update" | "patch" | "annotate" | "delete")
/**
 * The current value of the aspect; null if it is absent, or if there is a problem.
 */
before: ({

} | null)
/**
 * The value that the aspect would have.
 */
after: ({

} | null)
/**
 * Why it cannot be applied.
 */
problem: (Problem | null)
}[]
}
/**
 * A batch of proposals that is applied atomically.
 */
export interface Proposals {
proposals: Proposal[]
}
/**
 * What a tool expects of datasets, and what it found.
 */
export interface QualityImport {
/**
 * The tool that wrote the documents.
 */
tool: ("great-expectations" | "dbt" | "openlineage")
/**
 * Of Great Expectations: a validation result, the result of a checkpoint, or several of them; the newest result of an expectation counts.
 */
validations?: ({

} | unknown[])
/**
 * Of dbt: `manifest.json`. Only `nodes` and `sources` are read.
 */
manifest?: {

}
/**
 * Of dbt: `run_results.json`.
 */
runResults?: {

}
/**
 * Of OpenLineage: events whose inputs or outputs have the facet `dataQualityAssertions`. Their runs and lineage are not recorded.
 */
events?: {

}[]
/**
 * The datasets to import into, by their names in the tool: a table, a path or a URN. Others have the same name here as in the tool.
 */
datasets?: {
[k: string]: string
}
}
/**
 * The datasets of an import.
 */
export interface QualityImportResult {
datasets: {
/**
 * The name in the tool.
 */
name: string
/**
 * The dataset in the catalog.
 */
urn: string
/**
 * The number of imported expectations.
 */
expectations: number
/**
 * The number of imported results.
 */
results: number
/**
 * The number of results that did not pass.
 */
failed: number
}[]
}
/**
 * The quality of a dataset after a check.
 */
export interface QualityRecord {
urn: string
version: number
/**
 * The value of the aspect `quality`.
 */
quality: {

}
}
/**
 * Results of a check of a dataset, by the id of the expectation.
 */
export interface QualityResults {
/**
 * What made the check.
 */
source: {
kind: ("cell" | "pipeline" | "crawl" | "import" | "openlineage" | "program")
/**
 * The URN of the run.
 */
run?: string
/**
 * The name of the notebook, the pipeline, the tool or the job.
 */
name?: string
}
/**
 * The time of the check, in milliseconds since 1970; by default now.
 */
time?: number
results: {
[k: string]: {
/**
 * What is expected. `other` is a check of another tool, which is not evaluated here.
 */
kind?: ("notNull" | "unique" | "range" | "set" | "pattern" | "freshness" | "rowCount" | "columns" | "other")
/**
 * The path of the column.
 */
column?: string
/**
 * The name of the check in its tool.
 */
name?: string
/**
 * The severity of a check of another tool, by default `error`; that of an expectation is not changed.
 */
severity?: ("error" | "warning")
/**
 * `error`: it could not be evaluated.
 */
status: ("passed" | "failed" | "error")
/**
 * The number of rows that fail; absent if rows were not counted.
 */
failing?: number
/**
 * The number of rows that were checked.
 */
rows?: number
/**
 * What was found instead of, or in, what is expected. Not stored for confidential columns.
 */
observed?: string
/**
 * Some failing values. Not stored for confidential columns.
 */
samples?: string[]
/**
 * Why it could not be evaluated.
 */
message?: string
}
}
}
/**
 * The quality of datasets.
 */
export interface QualityStatuses {
/**
 * The status of each dataset with results, by URN.
 */
statuses: {
[k: string]: ("failing" | "warning" | "passing")
}
}
/**
 * The choice of a recovery file.
 */
export interface RecoveryFileChoice {
/**
 * The name of the recovery file.
 */
file: string
}
/**
 * Files that interrupted saves of Elyra left: instances as they were before those saves.
 */
export interface RecoveryFiles {
recoveryFiles: {
/**
 * The name of the instance.
 */
name: string
/**
 * The name of the recovery file, to restore or discard it.
 */
file: string
/**
 * When the interrupted save began, in milliseconds since 1970.
 */
time: number
/**
 * Whether the instance is missing or unreadable, so that it can be restored.
 */
missing: boolean
/**
 * Why the recovery file is unreadable; empty if it is readable.
 */
problem: string
}[]
}
/**
 * The entity types.
 */
export interface Registry {
types: {
type: string
title: string
keyAspect: string
aspects: string[]
}[]
}
/**
 * How long versions of aspects and changes are kept.
 */
export interface Retention {
/**
 * The rules of the setting `retention`.
 */
rules: RetentionRule[]
/**
 * For how many days changes are kept; 0 without limit.
 */
changeLogDays: number
}
/**
 * For how long versions of aspects are kept; without limits, all versions are kept.
 */
export interface RetentionRule {
/**
 * The namespace; `*` is any.
 */
namespace: string
/**
 * The entity type; `*` is any.
 */
entity: string
/**
 * The aspect; `*` is any, of scope SYSTEM.
 */
aspect: string
/**
 * The most versions, including the present one; null without limit.
 */
maxVersions: (number | null)
/**
 * For how long a version is kept after it was replaced; null without limit.
 */
maxAgeInSeconds: (number | null)
}
/**
 * Rules for how long versions of aspects are kept. Of two rules for the same place, the later one applies.
 */
export interface RetentionRules {
rules: RetentionRule[]
}
/**
 * One execution of a program.
 */
export interface Run {
urn: string
runId: string
program: string
/**
 * The short name of the program.
 */
name: string
/**
 * The present title of the program, such as the name of a step, the first comment of a cell or the heading above it; absent if there is none.
 */
title?: string
status: ("running" | "succeeded" | "failed" | "killed")
/**
 * ISO 8601, UTC, milliseconds.
 */
start: string
/**
 * ISO 8601, UTC, milliseconds.
 */
end: (string | null)
parent: (string | null)
actor: string
via: (string | null)
facts: {
notebook?: string
cellId?: string
sourceHash?: string
executionCount?: number
kernel?: string
/**
 * The first comment of a cell, without credentials.
 */
comment?: string
source?: string
[k: string]: (string | number | boolean)
}
accesses: {
data: string
mode: ("read" | "write" | "both" | "unknown")
component: string
/**
 * ISO 8601, UTC, milliseconds.
 */
first: string
/**
 * ISO 8601, UTC, milliseconds.
 */
last: string
/**
 * The statements that made the access; data flows between accesses with a common statement. Empty if unknown.
 */
statements: string[]
/**
 * The versions of a Delta or Iceberg table that were read or written, in the order in which they were recorded, at most the 20 newest; absent if unknown.
 */
tableVersions?: string[]
}[]
/**
 * The arguments of the run; never copied into snapshots.
 */
arguments: {
[k: string]: string
}
/**
 * Data that failed statements would have written. They were not written: they are neither accesses nor part of lineage.
 */
intendedOutputs: string[]
}
/**
 * The entities that a run accessed, with their metadata at the first access.
 */
export interface RunAccesses {
accesses: {
urn: string
role: ("program" | "application" | "data")
type: string
namespace: string
name: string
/**
 * Whether the entity is deleted now.
 */
deleted: boolean
/**
 * Null for the program and its application.
 */
mode: ("read" | "write" | "both" | "unknown" | null)
component: string
/**
 * ISO 8601, UTC, milliseconds.
 */
first: string
/**
 * ISO 8601, UTC, milliseconds.
 */
last: string
/**
 * User metadata at the first access.
 */
user: {
properties: {
[k: string]: string
}
tags: string[]
}
/**
 * System metadata at the first access; null unless the setting run_snapshots_include_system_metadata is on.
 */
system: ({
properties: {
[k: string]: string
}
tags: string[]
} | null)
/**
 * The versions of a Delta or Iceberg table that were read or written, in the order in which they were recorded, at most the 20 newest; absent if unknown.
 */
tableVersions?: string[]
}[]
/**
 * Whether the answer is incomplete: it has at most 16 MiB.
 */
truncated: boolean
}
/**
 * An update of a run.
 */
export interface RunChange {
status?: ("running" | "succeeded" | "failed" | "killed")
/**
 * ISO 8601, UTC, milliseconds.
 */
end?: (string | null)
facts?: {
notebook?: string
cellId?: string
sourceHash?: string
executionCount?: number
kernel?: string
/**
 * The first comment of a cell, without credentials.
 */
comment?: string
source?: string
[k: string]: (string | number | boolean)
}
/**
 * The arguments of the run; never copied into snapshots.
 */
arguments?: {
[k: string]: string
}
/**
 * Data that failed statements would have written, added to the known ones. No access is recorded.
 */
intendedOutputs?: string[]
}
/**
 * Runs as events of OpenLineage.
 */
export interface RunEvents {
/**
 * RunEvents of the OpenLineage specification 2-0-2: the start and the end of each run. A run with several statements is the parent of a run for each of them.
 */
events: {

}[]
/**
 * The requested runs whose events did not fit into this answer; empty if it is complete.
 */
remaining: string[]
}
/**
 * Runs, by URN.
 */
export interface RunSelection {
runs: string[]
}
/**
 * A run to record. Repeating the same program and runId does not create another run.
 */
export interface RunStart {
program: string
runId: string
status?: ("running" | "succeeded" | "failed" | "killed")
/**
 * ISO 8601, UTC, milliseconds.
 */
start: string
/**
 * ISO 8601, UTC, milliseconds.
 */
end?: (string | null)
parent?: (string | null)
facts?: {
notebook?: string
cellId?: string
sourceHash?: string
executionCount?: number
kernel?: string
/**
 * The first comment of a cell, without credentials.
 */
comment?: string
source?: string
[k: string]: (string | number | boolean)
}
/**
 * The arguments of the run; never copied into snapshots.
 */
arguments?: {
[k: string]: string
}
}
/**
 * A page of runs, newest first.
 */
export interface Runs {
runs: Run[]
cursor: (string | null)
}
/**
 * The result of validating a usable schema.
 */
export interface SchemaCheckResult {
kind: ("schemaspace" | "aspect")
/**
 * The $schema of the schema, or the default.
 */
dialect: string
}
/**
 * The schemaspaces with their schemas, and the errors of those that did not load.
 */
export interface Schemaspaces {
schemaspaces: {
name: string
id: string
display_name: string
description: string
deprecated: boolean
schemas: {
name: string
title: string
deprecated: boolean
uihints: {

}
}[]
}[]
problems: {
kind: ("schemaspace" | "schemas provider" | "schema")
/**
 * The name of the entry point; for a schema, `entry point/schema`.
 */
source: string
distribution: string
version: string
reason: string
/**
 * Whether loading timed out; it is added when it completes.
 */
timedOut: boolean
}[]
}
/**
 * A page of hits, best first. ranked is the number of ranked matches, if it was limited.
 */
export interface SearchResults {
query: string
hits: {
urn: string
type: string
namespace: string
name: string
platform: (string | null)
created: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
updated: {
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
actor: string
}
description: string
/**
 * The names of the tags.
 */
tags: string[]
owner: (string | null)
/**
 * Why the entity matched: at most five matches of the query terms, some for each term.
 */
matches: {
key: string
value: string
scope: ("USER" | "SYSTEM")
/**
 * The aspect with the match.
 */
aspect: string
/**
 * What matched: the name or the type of the entity, a key, or its value.
 */
matchedOn: ("name" | "type" | "key" | "value")
/**
 * The matched text in parts, shortened if it is long; plain text.
 */
parts: {
text: string
/**
 * Whether this part matches a term.
 */
highlighted: boolean
}[]
}[]
/**
 * The names of the glossary terms.
 */
terms: string[]
/**
 * The names of the domains.
 */
domains: string[]
/**
 * True if the entity is soft-deleted (status.removed); absent otherwise.
 */
removed?: boolean
/**
 * The tags among `tags` that only machines wrote.
 */
systemTags: string[]
/**
 * The name by which people know the entity, if it has another one than the name in its URN: the step, the first comment or the heading of a notebook's cell, else the data that it writes (`→ orders`); the title of another program; the name of a tag, glossary term, domain, user or group.
 */
displayName: (string | null)
/**
 * The status of the newest checks of a dataset; null without checks.
 */
quality: ("passing" | "warning" | "failing" | "unknown" | null)
/**
 * Who certified the entity, until when, and whether that day has passed.
 */
certification: ({
/**
 * The name of the user or team.
 */
by: string
/**
 * The last day (UTC); null if the certification does not expire.
 */
until: (string | null)
note: string
expired: boolean
} | null)
}[]
total: number
isLowerBound: boolean
ranked: (number | null)
/**
 * The 20 most frequent values of each facet with their numbers of matches, as exact as total.
 */
facets: {
[k: string]: {
value: string
count: number
/**
 * The name of the entity that the value refers to, if it differs from the value.
 */
name?: string
/**
 * True for a tag that only machines wrote; absent otherwise.
 */
bySystem?: boolean
}[]
}
/**
 * The title of each facet, in display order.
 */
labels: {
[k: string]: string
}
cursor: (string | null)
/**
 * Queries for existing names that are similar to those in the query, if nothing was found: at most three.
 */
suggestions: string[]
}
/**
 * A service token: the account of a program, with what it may do. The token itself is not stored.
 */
export interface ServiceToken {
/**
 * Distinguishes the token from an earlier one of the same name; a rotation leaves it unchanged. The change log and the audit name it.
 */
id: string
/**
 * The name of the program. Its account in the change log is `service:` and this name.
 */
name: string
scopes: ("read" | "annotate" | "emit" | "admin")[]
/**
 * The only namespaces that the token gives access to; null for all.
 */
namespaces: (string[] | null)
createdBy: string
created: string
expires: string
/**
 * When the token was last replaced.
 */
rotated: (string | null)
/**
 * Until when the token before the last rotation is accepted; null if it ended with the rotation.
 */
previousExpires: (string | null)
/**
 * When the token was last used, recorded at most once a minute; null if it was never used.
 */
lastUsed: (string | null)
}
/**
 * A new service token.
 */
export interface ServiceTokenCreation {
/**
 * The name of the program. Its account in the change log is `service:` and this name.
 */
name: string
scopes: ("read" | "annotate" | "emit" | "admin")[]
/**
 * The only namespaces that the token gives access to; by default, all.
 */
namespaces?: (string[] | null)
/**
 * For how many days it is valid: 90 by default, at most the setting `service_token_max_days`.
 */
expiresInDays?: number
}
/**
 * How a service token is replaced.
 */
export interface ServiceTokenRotation {
/**
 * For how long the earlier token is still accepted.
 */
overlapSeconds?: number
/**
 * For how many days the new token is valid; by default as long as the earlier one was issued for.
 */
expiresInDays?: number
}
/**
 * All service tokens, by name.
 */
export interface ServiceTokens {
serviceTokens: ServiceToken[]
}
/**
 * A system application of an installed package, and its state in the process that answers.
 */
export interface SystemApp {
/**
 * The name of its entry point, which is in its paths.
 */
name: string
/**
 * The distribution that provides it; empty if it is not installed.
 */
package: string
/**
 * The installed version of that distribution; the one that was deployed last if it is not installed.
 */
version: string
/**
 * `installed`: it can be loaded, in a process that serves no applications, or it is a shipped one that was never used. `uninstalled`: its package is not installed, and it left tables.
 */
state: ("starting" | "running" | "installed" | "failed" | "disabled" | "uninstalled")
/**
 * The names of its tables in the store.
 */
tables: string[]
/**
 * Why it has failed; empty otherwise.
 */
problem: string
/**
 * The version that created or changed its tables last; empty if none did.
 */
deployedVersion: string
/**
 * The worker processes of its services in the server that answers.
 */
workers: {
/**
 * The name of the service.
 */
service: string
/**
 * The share of this server in the requested number.
 */
requested: number
/**
 * The processes that can answer calls.
 */
running: number
/**
 * The processes that were started in place of others that failed.
 */
restarts: number
/**
 * Why a process does not run; empty otherwise.
 */
problem: string
}[]
/**
 * Its schedules whose last run failed, and its listeners with events that they cannot handle.
 */
warnings: string[]
/**
 * Its services by name; empty until it has loaded.
 */
services: {
/**
 * The name of the service, which is in its paths.
 */
name: string
/**
 * `spark`: with a Spark session, always in worker processes.
 */
kind: ("service" | "spark")
/**
 * The worker processes in all servers of the store together; null for a service on threads of each server.
 */
requested: (number | null)
/**
 * The worker processes that run in all servers.
 */
running: number
}[]
/**
 * Its schedules by name; empty until it has loaded.
 */
schedules: {
/**
 * The name of the schedule.
 */
name: string
/**
 * Its interval (`PT15M`), or its cron expression in UTC (`0 5 * * 1-5`).
 */
when: string
/**
 * When it runs next; null while the application is disabled, and before a server has run it.
 */
next: (string | null)
/**
 * When its last run ended; null if there was none.
 */
last: (string | null)
/**
 * Why the last run failed; empty if it succeeded.
 */
problem: string
}[]
}
/**
 * An event that a listener of a system application has not handled.
 */
export interface SystemAppEvent {
/**
 * The name of the application.
 */
app: string
/**
 * The name of the listener.
 */
listener: string
/**
 * The version of the listener.
 */
version: number
/**
 * The entity.
 */
urn: string
/**
 * The number of the event, which is that of its change in the change log.
 */
number: number
/**
 * How often the listener has failed; 0 while the event waits for an earlier one of its entity.
 */
attempts: number
/**
 * When it is retried; null while it is parked or waits.
 */
due: (string | null)
/**
 * Whether it is not retried any more, unless it is requested.
 */
parked: boolean
/**
 * Why the listener failed last; empty if it has not.
 */
problem: string
/**
 * When the listener failed last; null if it has not.
 */
failed: (string | null)
}
/**
 * The events that the listeners of a system application have not handled, by listener, entity and number.
 */
export interface SystemAppEvents {
events: SystemAppEvent[]
}
/**
 * Log records of a system application, oldest first.
 */
export interface SystemAppLogs {
records: SystemAppLogRecord[]
/**
 * The number to continue after.
 */
cursor: number
}
export interface SystemAppLogRecord {
/**
 * The number of the record, one more than that of the previous record.
 */
seq: number
/**
 * The time of the record, in milliseconds since 1970.
 */
time: number
/**
 * The level, such as `INFO` and `ERROR`.
 */
level: string
/**
 * The message; of an exception only its class and where it was raised.
 */
message: string
}
/**
 * All system applications, by name.
 */
export interface SystemApps {
systemApps: SystemApp[]
}
/**
 * The values of a time-series aspect, newest first.
 */
export interface TimeseriesValues {
values: {
/**
 * The time that the value is about. ISO 8601, UTC, milliseconds.
 */
time: string
/**
 * When the value was recorded. ISO 8601, UTC, milliseconds.
 */
recorded: string
actor: string
value: {

}
/**
 * The columns of a profile that are marked confidential: it has only counts of them. Absent if there are none.
 */
withheld?: string[]
}[]
/**
 * Whether the answer ended before `limit`, at 4 MiB: continue with an earlier `end`.
 */
truncated: boolean
}
/**
 * The versions of an aspect, newest first; diff is the JSON Patch from the previous version.
 */
export interface Versions {
versions: {
version: number
deleted: boolean
value: ({

} | null)
actor: string
via: (string | null)
/**
 * ISO 8601, UTC, milliseconds.
 */
time: string
diff: {
op: ("add" | "remove" | "replace" | "move" | "copy" | "test")
path: string
from?: string
value?: unknown
}[]
/**
 * DataHub's system metadata of the write (runId, lastObserved, ...).
 */
systemMetadata?: {

}
/**
 * The path of the notebook whose kernel (`via`) wrote this version, if it is known from a run.
 */
notebook?: string
}[]
cursor: (string | null)
}
/**
 * The results of a batch, in its order.
 */
export interface WriteResults {
results: WriteResult[]
}
