// Made from schemas/api by `jlpm generate`. Never edited by hand.

/**
 * What /changes/ws sends: first hello with the log's head, then changes.
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
 * Everything that crosses the wire, by its name in schemas/api.
 */
export interface Api {
accesses: Accesses
annotation: Annotation
aspect: Aspect
change: Change
changes: Changes
"dead-letter": DeadLetter
"dead-letter-delete-result": DeadLetterDeleteResult
"dead-letters": DeadLetters
descriptor: Descriptor
entities: Entities
entity: Entity
"entity-metadata": EntityMetadata
"entity-rename": EntityRename
"entity-summary": EntitySummary
"entity-type": EntityType
fields: Fields
"fields-metadata": FieldsMetadata
health: Health
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
"key-values": KeyValues
keys: Keys
lineage: Lineage
"lineage-diff": LineageDiff
"lineage-edge": LineageEdge
"lineage-impact": LineageImpact
"lineage-next": LineageNext
"lineage-node": LineageNode
"lineage-path": LineagePath
load: Load
"load-batch": LoadBatch
"load-batch-result": LoadBatchResult
"load-end": LoadEnd
"load-rejections": LoadRejections
me: Me
message: Message
migration: Migration
"namespace-export": NamespaceExport
"namespace-import": NamespaceImport
"pipeline-check": PipelineCheck
"pipeline-check-result": PipelineCheckResult
"pipeline-plugins": PipelinePlugins
"pipeline-schedules": PipelineSchedules
problem: Problem
proposal: Proposal
proposals: Proposals
"recovery-file-choice": RecoveryFileChoice
"recovery-files": RecoveryFiles
registry: Registry
run: Run
"run-accesses": RunAccesses
"run-change": RunChange
"run-start": RunStart
runs: Runs
"schema-check-result": SchemaCheckResult
schemaspaces: Schemaspaces
"search-results": SearchResults
"timeseries-values": TimeseriesValues
versions: Versions
"write-result": WriteResult
"write-results": WriteResults
}
/**
 * What a run touched. Data that the catalog does not know yet becomes known.
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
 * The statement that the access belongs to: those of one call with the same number are one statement, and read or write. All that it reads flows into all that it writes, and into nothing else. Without a statement, what the program reads flows into what it writes.
 */
statement?: number
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
 * A change of properties and tags: what is cleared or without goes, the rest is set, what is not named stays.
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
 * One aspect of an entity, as it is now.
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
 * What the writer said of itself, in DataHub's words (runId, lastObserved, ...).
 */
systemMetadata?: {

}
}
/**
 * One committed change. aspect is null for the entity itself and for runs; value and previous are null where there is none.
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
run: (string | null)
previous: ({

} | null)
value: ({

} | null)
/**
 * What the writer said of itself, in DataHub's words (runId, lastObserved, ...).
 */
systemMetadata?: {

}
/**
 * The same of the value before it.
 */
previousSystemMetadata?: {

}
}
/**
 * A slice of the change log; ask again after cursor.
 */
export interface Changes {
cursor: number
changes: Change[]
}
/**
 * What could not be applied or delivered, without its values. time is when it came, failed when it was tried last.
 */
export interface DeadLetter {
id: string
kind: string
actor: string
/**
 * The kernel that sent it.
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
 * The number of the change that a sink would not take; null for a batch of proposals.
 */
change: (number | null)
proposals: {
urn: string
aspect: (string | null)
operation: ("upsert" | "create" | "create-entity" | "update" | "patch" | "annotate" | "delete")
}[]
}
/**
 * An error, RFC 9457.
 */
export interface Problem {
type: string
title: string
status: number
detail: string
errors: {
/**
 * JSON Pointer into the request's body; empty for the whole.
 */
pointer: string
message: string
}[]
/**
 * Where an entity was asked for that has another name now: its URN.
 */
renamedTo?: string
}
/**
 * A dead letter that is gone.
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
 * One value of the vocabulary that describes an entity or a column: a tag, a glossary term, an owner, a domain, a description, a property, a link or a name, with its aspect and scope.
 */
export interface Descriptor {
kind: ("tag" | "term" | "owner" | "domain" | "description" | "property" | "link" | "name")
/**
 * The key by which search finds it.
 */
key: string
/**
 * What was written; of a reference the key of its URN.
 */
text: string
/**
 * What people read: of a reference the name of what it refers to, else the text.
 */
name: string
/**
 * What it refers to, if it is a reference.
 */
urn: (string | null)
aspect: string
scope: ("USER" | "SYSTEM")
/**
 * The entity that has the aspect: the one that is described, or of a column the dataset.
 */
source: string
/**
 * The plain path of the column that it describes; null for the entity itself.
 */
column: (string | null)
/**
 * More of it: the type of an owner, the text of a link.
 */
detail: string
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
 * True of what was softly deleted (status.removed); absent otherwise.
 */
removed?: boolean
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
 * How the aspects of this answer describe the entity and its columns, user metadata first.
 */
descriptors: Descriptor[]
/**
 * True of what was softly deleted (status.removed); absent otherwise.
 */
removed?: boolean
}
/**
 * Properties and tags of an entity, by scope: all that machines say is folded into SYSTEM.
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
 * The new name of a dataset, in the same namespace, platform and fabric.
 */
export interface EntityRename {
/**
 * A URN that no entity has.
 */
to: string
/**
 * The run that renames it. A kernel's token names a run of its own.
 */
run?: (string | null)
}
/**
 * One entity type: what a form needs.
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
 * The key aspect, derived from the URN; nobody writes it.
 */
key: boolean
/**
 * Whether a form shows it where there is none yet.
 */
editableByDefault: boolean
/**
 * Appended by time; it has no versions.
 */
timeseries: boolean
schema: {

}
uihints: {

}
/**
 * The members of a value that the descriptors of an entity show wholly.
 */
described: string[]
}[]
}
/**
 * The fields of a dataset of which something was said, by name.
 */
export interface Fields {
urn: string
fields: string[]
}
/**
 * A page of the fields of a dataset that have metadata, in any aspect of theirs or of the dataset: properties and tags by scope, and descriptors.
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
 * The same with its aspects, wherever a client described the column, people's first.
 */
descriptors: Descriptor[]
}[]
cursor: (string | null)
}
/**
 * Whether reads and writes can be made.
 */
export interface Health {
status: ("ok" | "down")
version: string
store: {
provider: string
status: ("ok" | "down")
detail: string
journalMode: string
}
changeLog: {
/**
 * The number of the newest change; null where the store cannot be asked.
 */
head: (number | null)
}
/**
 * Who follows the change log; null where there is no store to follow.
 */
subscribers: (number | null)
/**
 * Kernels that hold a token.
 */
kernelTokens: number
/**
 * Batches that wait to be applied; null where the store cannot be asked.
 */
inbox: {
pending: (number | null)
}
/**
 * Batches that could not be applied; null where the store cannot be asked.
 */
deadLetters: (number | null)
/**
 * Consumers of lineage that packages brought: how many runs each was told of, and how often it failed.
 */
lineageListeners: {
name: string
distribution: string
version: string
delivered: number
failed: number
/**
 * It has not come back for long; it is waited for no more.
 */
timedOut: boolean
/**
 * Why it did not load, or what it raised last.
 */
problem: string
/**
 * The number of the change up to which it was told; null before it has begun.
 */
cursor: (number | null)
}[]
/**
 * What of the schemaspaces did not load.
 */
schemaspaces: {
problems: {
kind: ("schemaspace" | "schemas provider" | "schema")
/**
 * The entry point's name; for a schema `entry point/schema`.
 */
source: string
distribution: string
version: string
reason: string
/**
 * It was not there in time; it is taken in when it comes.
 */
timedOut: boolean
}[]
}
/**
 * What of the entity-registry.yml does not count. What it described is kept, and read as it is stored.
 */
registry: {
problems: {
/**
 * The place in the file; empty for the whole of it.
 */
pointer: string
message: string
}[]
}
/**
 * Where instances of schemaspaces are kept: `file`, `catalog`, or the name of another store; and whether the Elyra door is open.
 */
instances: {
store: string
elyraApi: boolean
}
/**
 * Where changes are delivered to, and how far each has come; empty where the store cannot be asked.
 */
sinks: {
name: string
kind: string
/**
 * How many changes it lacks.
 */
lag: number
/**
 * Since when it lacks them.
 */
oldestPending: (string | null)
/**
 * How often the first of them was tried.
 */
attempts: number
/**
 * Why it was not delivered to, last; empty where it was.
 */
problem: string
/**
 * How many changes were no longer kept when they were to be delivered.
 */
skipped: number
deadLetters: number
}[]
}
/**
 * A batch that is applied later, and what became of it; problem and deadLetter are null unless it was refused.
 */
export interface InboxEntry {
id: string
state: ("pending" | "applied" | "rejected")
/**
 * When it came.
 */
time: string
results: WriteResult[]
problem: (Problem | null)
/**
 * The id of the dead letter that keeps it.
 */
deadLetter: (string | null)
}
/**
 * What became of a write. version is -1 after a deletion; seq is null when nothing changed.
 */
export interface WriteResult {
urn: string
aspect: (string | null)
version: number
seq: (number | null)
changed: boolean
/**
 * Whether it was left out, because something was there already (ifAbsent).
 */
filtered?: boolean
}
/**
 * One instance of a schemaspace, valid or not. One that cannot be read has an empty metadata, and says why in problems.
 */
export interface Instance {
/**
 * Its name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
display_name: string
/**
 * `{unknown}` where it cannot be told.
 */
schema_name: string
/**
 * What the schema describes. A secret is `{"$secret": true}`; sent back so, it stays as it is.
 */
metadata: {

}
/**
 * Members that the schema's own class adds.
 */
extra: {

}
valid: boolean
/**
 * Empty where it is valid, else the cause: `ValidationError`, `ValueError` (it cannot be read), `SchemaNotFoundError`, or the name of another error.
 */
reason: string
/**
 * What is wrong with it, and warnings of one that is valid. Right after a restore also the secrets that are missing and have to be entered again, even where it is valid without them.
 */
problems: {
/**
 * JSON Pointer into the instance; empty for the whole.
 */
pointer: string
message: string
}[]
/**
 * The version of its record, which is also its ETag; null while the catalog is away, or where it has none yet.
 */
version: (number | null)
/**
 * When it was last changed: ISO 8601, UTC, milliseconds; null where that is not known.
 */
time: (string | null)
/**
 * Whether it can be removed: false for one of a shared or factory folder, of which a change makes a copy.
 */
deletable: boolean
urn: string
/**
 * The file's path, or the URN where there is no file.
 */
resource: string
}
/**
 * Instances as they are exported and imported.
 */
export interface InstanceBundle {
/**
 * Where they come from; told in an export.
 */
schemaspace?: string
instances: {
/**
 * Its name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
display_name?: string
schema_name?: string
metadata?: {

}
}[]
}
/**
 * An instance was removed.
 */
export interface InstanceDeleteResult {
/**
 * Its name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
urn: string
/**
 * Its last version: what `restore` takes to undo this; null while the catalog is away.
 */
version: (number | null)
/**
 * Whether one of the same name in a shared or factory folder shows now.
 */
sharedInstanceVisible: boolean
}
/**
 * An instance as it is to be. A new one without name gets one made of display_name; the name of one that is there stays.
 */
export interface InstanceEdit {
/**
 * Its name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name?: string
display_name?: string
schema_name: string
/**
 * What the schema describes. A secret is `{"$secret": true}`; sent back so, it stays as it is.
 */
metadata: {

}
/**
 * Members that the schema's own class reads.
 */
extra?: {

}
}
/**
 * Which instances are exported; all valid ones without any member.
 */
export interface InstanceExport {
/**
 * These alone.
 */
names?: string[]
/**
 * Those of this schema alone.
 */
schema?: string
/**
 * Also invalid ones, as they are; not those that cannot be read.
 */
includeInvalid?: boolean
/**
 * With secrets in clear text. Without it they are `{"$secret": true}`.
 */
includeSecrets?: boolean
}
/**
 * What came of an import, or what would.
 */
export interface InstanceImport {
dryRun: boolean
results: {
name: string
/**
 * `conflict`: another one of this name is there, and nothing was to be overwritten; `problems` name the first places that differ. `invalid`: also where it has `{"$secret": true}` and no secret is kept here.
 */
outcome: ("created" | "updated" | "unchanged" | "conflict" | "invalid" | "failed")
/**
 * Empty where it went well.
 */
reason: string
problems: {
/**
 * JSON Pointer into the instance; empty for the whole.
 */
pointer: string
message: string
}[]
}[]
/**
 * How many of each outcome.
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
 * Which version is to be the present one again.
 */
export interface InstanceRestore {
version: number
}
/**
 * A row of the list of a schemaspace's instances.
 */
export interface InstanceSummary {
/**
 * Its name in the schemaspace: `[a-z]([a-z0-9_-]{0,198}[a-z0-9])?`.
 */
name: string
display_name: string
/**
 * `{unknown}` where it cannot be told.
 */
schema_name: string
tags: string[]
description: string
/**
 * Of a code snippet; null elsewhere.
 */
language?: (string | null)
valid: boolean
/**
 * Empty where it is valid, else the cause: `ValidationError`, `ValueError` (it cannot be read), `SchemaNotFoundError`, or the name of another error.
 */
reason: string
/**
 * The first of what is wrong with it, in a sentence; empty where it is valid.
 */
problem: string
/**
 * The version of its record, which is also its ETag; null while the catalog is away, or where it has none yet.
 */
version: (number | null)
/**
 * When it was last changed: ISO 8601, UTC, milliseconds; null where that is not known.
 */
time: (string | null)
/**
 * Whether it can be removed: false for one of a shared or factory folder, of which a change makes a copy.
 */
deletable: boolean
urn: string
}
/**
 * What the instances of a schemaspace say at one place, with how many say it; the most frequent first.
 */
export interface InstanceValues {
values: {
value: (string | number | boolean)
count: number
}[]
/**
 * Whether there are more values: the 500 most frequent ones are in an answer, and no more than 4 MiB.
 */
truncated: boolean
}
/**
 * A page of a schemaspace's instances. total, tags and schemas count what q, schema and valid let through: tags without the filter `tag`, schemas without the filter `schema`.
 */
export interface Instances {
instances: InstanceSummary[]
total: number
/**
 * By name.
 */
tags: {
name: string
count: number
}[]
/**
 * By name.
 */
schemas: {
name: string
count: number
}[]
cursor: (string | null)
}
/**
 * Values of a key with the number of entities that carry them.
 */
export interface KeyValues {
values: {
value: string
entities: number
}[]
/**
 * Whether there may be more of them: of the past, or of one scope, so many values of a namespace are looked through at most.
 */
isLowerBound: boolean
cursor: (string | null)
}
/**
 * Metadata keys with the number of entities that carry them.
 */
export interface Keys {
keys: {
key: string
kind: ("property" | "tag" | "field")
scope: ("USER" | "SYSTEM")
entities: number
}[]
/**
 * Whether there may be more of them: of the past, so many values of a namespace are looked through at most.
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
 * Null where it is declared and names no program.
 */
program: (string | null)
transformation: ("identity" | "transformation" | "aggregation" | "join" | "group_by" | "filter" | "sort" | "window" | "conditional" | "indirect")
}[]
/**
 * Whether anything was left out: relations, edges between columns, components of an edge, runs that were not counted, edges beyond 16 MiB, or what a bound of time cut.
 */
truncated: boolean
/**
 * Where a walk can go on (POST /lineage/next).
 */
frontier: string[]
/**
 * What the catalog knew then; null is now.
 */
asOf: (string | null)
}
/**
 * Data or a program in a lineage answer.
 */
export interface LineageNode {
urn: string
type: ("dataset" | "dataJob" | "custom")
namespace: string
name: string
platform: (string | null)
/**
 * Levels from the focus; negative upstream. 0 is the focus.
 */
level: number
deleted: boolean
/**
 * Neighbours that this answer does not show.
 */
notShown: {
upstream: number
downstream: number
/**
 * The counts stopped at a bound: there are at least so many.
 */
isLowerBound?: true
}
/**
 * What a program is called by who wrote it: the name of a step. Left out where nobody said.
 */
title?: string
}
/**
 * A read goes from data to program, a write from program to data; what is declared goes from data to data.
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
 * How many runs. With `asOf`, only the newest 1,000 runs of an edge are counted; where there are more, the answer is `truncated`.
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
 * At most 20; where there are more, the answer is `truncated`.
 */
components: string[]
/**
 * Who recorded the newest run, or who asserts the edge.
 */
reportedBy: string
/**
 * No run is known: it is in force from start to end.
 */
declared: boolean
/**
 * The statements of the program over which the edge was met: data flows from an edge into a program to one out of it where both have none, or one in common. An empty one stands for accesses without a statement. At a program from which the walk began, those of the newest runs.
 */
statements: string[]
}
/**
 * Edges that came and went between two times. An edge is there at a time if one of its runs fell into the span before it.
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
 * Milliseconds.
 */
window: number
added: LineageEdge[]
removed: LineageEdge[]
nodes: LineageNode[]
/**
 * Whether anything was left out: relations, components of an edge, runs that were not counted, or edges beyond 16 MiB.
 */
truncated: boolean
}
/**
 * How much is downstream: what a change would reach. The most frequent come first.
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
 * By the property owner that people wrote; the empty name is for what has none.
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
 * Where a walk goes on: from the frontier of an answer; nothing that is in visited is entered again.
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
 * All shortest ways on which data flows from one node to another.
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
 * How long each is; null where there is none.
 */
levels: (number | null)
/**
 * How many there are.
 */
count: number
/**
 * The first of them, node by node.
 */
paths: string[][]
nodes: LineageNode[]
edges: LineageEdge[]
/**
 * Whether no way was found and not everything could be looked at, or something of the edges was left out: components, runs that were not counted, or edges beyond 16 MiB.
 */
truncated: boolean
}
/**
 * Proposals in bulk, and how far they came; each row is counted once, however often its batch is sent.
 */
export interface Load {
id: string
state: ("open" | "committed" | "aborted")
opened: string
/**
 * When a batch came last, or when it ended.
 */
updated: string
batches: number
/**
 * Rows that changed something.
 */
written: number
/**
 * Rows of which everything was so already.
 */
unchanged: number
rejected: number
}
/**
 * A batch of a load, told by its place: sent again it has its first answer, and another batch in the same place is refused. Each row is to be a Proposal; one that is none is refused alone.
 */
export interface LoadBatch {
partition: number
number: number
rows: unknown[]
}
/**
 * What became of a batch of a load: all rows that are not among the refused ones are applied.
 */
export interface LoadBatchResult {
written: number
unchanged: number
rejected: {
/**
 * Its place in the batch.
 */
row: number
urn: (string | null)
problem: Problem
}[]
}
/**
 * How a load ends: no batch of it is taken from then on. What was applied stays either way.
 */
export interface LoadEnd {
state: ("committed" | "aborted")
}
/**
 * A page of the rows that a load refused, by their places; the first 10,000 are kept.
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
 * Who asks, and what they may do.
 */
export interface Me {
user: {
username: string
name: string
}
/**
 * Id of the kernel whose token was used; null for a person.
 */
via: (string | null)
scopes: ("read" | "annotate" | "emit" | "admin")[]
version: string
}
/**
 * What came of asking a schemaspace's providers to migrate its instances, or what would.
 */
export interface Migration {
dryRun: boolean
/**
 * Instances that were migrated; with dryRun, that would be.
 */
migrated: string[]
/**
 * Schemas whose provider failed.
 */
failed: {
schema: string
reason: string
}[]
/**
 * Schemas whose provider migrates, and cannot say beforehand what. Empty without dryRun.
 */
withoutDryRun: string[]
}
/**
 * Which part of a namespace is exported.
 */
export interface NamespaceExport {
namespace: string
/**
 * Of these entity types alone.
 */
types?: string[]
/**
 * These aspects alone.
 */
aspects?: string[]
}
/**
 * What came of an import, or what would.
 */
export interface NamespaceImport {
dryRun: boolean
/**
 * How many lines of each outcome. `updated`: the line was edited, and nothing changed here; `kept`: the other way round; `merged`: both changed, at different places.
 */
counts: {
created?: number
unchanged?: number
updated?: number
merged?: number
kept?: number
overwritten?: number
conflict?: number
}
/**
 * Where both changed the same, or where it is not known what the line was made of; nothing is changed there. At most 500.
 */
conflicts: {
urn: string
aspect: string
line: number
}[]
}
/**
 * A pipeline to check: one that is kept, by its name, or a document that is not kept yet.
 */
export interface PipelineCheck {
/**
 * Its name in the schemaspace `pipelines`.
 */
name: string
/**
 * The instance as it would be kept: `display_name`, `schema_name`, `metadata`.
 */
document?: {

}
/**
 * What a run would say besides the pipeline's own arguments.
 */
arguments?: {
[k: string]: (string | number | boolean)
}
}
/**
 * What is wrong with a pipeline, and in which order its stages would go.
 */
export interface PipelineCheckResult {
valid: boolean
/**
 * The names of the stages, where it is valid.
 */
order: string[]
problems: {
/**
 * A JSON Pointer into the instance.
 */
pointer: string
message: string
}[]
}
/**
 * What stages of pipelines can do.
 */
export interface PipelinePlugins {
plugins: {
type: ("source" | "transform" | "aggregator" | "joiner" | "sink" | "action")
name: string
title: string
description: string
/**
 * At least and at most so many stages whose data it takes; no most is null.
 */
inputs: (number | null)[]
/**
 * The JSON Schema of a stage's properties.
 */
schema: {

}
}[]
/**
 * Entry points that are no plugins.
 */
problems: {
plugin: string
reason: string
}[]
}
/**
 * When pipelines run by themselves, and what became of it.
 */
export interface PipelineSchedules {
/**
 * Whether this server starts any (c.Colophon.scheduled_runs).
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
 * As cron writes it, in UTC, or empty.
 */
cron: string
/**
 * Whether changes start it.
 */
onChange: boolean
enabled: boolean
/**
 * When it is due next.
 */
nextRun: (string | null)
/**
 * When its last run began.
 */
started: (string | null)
/**
 * When its last run ended.
 */
ended: (string | null)
/**
 * The id of its last run, or empty.
 */
run: string
/**
 * What became of it; refused where it could not be started.
 */
status: ("" | "running" | "succeeded" | "failed" | "killed" | "rejected")
/**
 * How often in a row it failed and is tried again.
 */
attempts: number
/**
 * Why it is not started, or why its last run never began; or empty.
 */
problem: string
}[]
}
/**
 * What somebody asks an aspect to become. Without aspect, delete means the entity, and create that it is there. ifVersion -1 means: only if absent.
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
 * What is there already is left as it is, and that is no refusal.
 */
ifAbsent?: boolean
/**
 * URN of the run that wrote it.
 */
run?: string
/**
 * What the writer says of itself, in DataHub's words; other members are kept.
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
 * A batch, applied wholly or not at all.
 */
export interface Proposals {
proposals: Proposal[]
}
/**
 * Which leftover is meant.
 */
export interface RecoveryFileChoice {
/**
 * The leftover's own name.
 */
file: string
}
/**
 * What killed saves of Elyra's left behind: instances as they were before those saves.
 */
export interface RecoveryFiles {
recoveryFiles: {
/**
 * The instance's name.
 */
name: string
/**
 * The leftover's own name, by which it is brought back or thrown away.
 */
file: string
/**
 * When that save began, in milliseconds since 1970.
 */
time: number
/**
 * Whether the instance is gone or cannot be read, so that this could take its place.
 */
missing: boolean
/**
 * Why the leftover cannot be read; empty where it can.
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
 * One execution of a program.
 */
export interface Run {
urn: string
runId: string
program: string
/**
 * Short name of the program.
 */
name: string
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
 * The statements that it belongs to; accesses with one in common flow into each other. Empty where none is known.
 */
statements: string[]
}[]
/**
 * What the run was started with; never copied into snapshots.
 */
arguments: {
[k: string]: string
}
/**
 * Data that statements which failed would have written. They were not written: this is not an access, and not part of lineage.
 */
intendedOutputs: string[]
}
/**
 * What a run has to do with, and what was said of it when the run met it first.
 */
export interface RunAccesses {
accesses: {
urn: string
role: ("program" | "application" | "data")
type: string
namespace: string
name: string
/**
 * Whether the entity is gone now.
 */
deleted: boolean
/**
 * Null of the program and its application.
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
 * What people said of it then.
 */
user: {
properties: {
[k: string]: string
}
tags: string[]
}
/**
 * What machines said of it then; null unless the setting snapshot_system_metadata asks for it.
 */
system: ({
properties: {
[k: string]: string
}
tags: string[]
} | null)
}[]
/**
 * Whether anything was left out: an answer has no more than 16 MiB.
 */
truncated: boolean
}
/**
 * How a run went on.
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
 * What the run was started with; never copied into snapshots.
 */
arguments?: {
[k: string]: string
}
/**
 * Data that statements which failed would have written; added to what is known. Nothing is recorded of the data itself.
 */
intendedOutputs?: string[]
}
/**
 * A run to record. Posting the same program and runId again is one run.
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
 * What the run was started with; never copied into snapshots.
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
 * A schema that can be used.
 */
export interface SchemaCheckResult {
kind: ("schemaspace" | "aspect")
/**
 * Its $schema, or what is taken for it.
 */
dialect: string
}
/**
 * The schemaspaces with their schemas, and what of them did not load.
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
 * The entry point's name; for a schema `entry point/schema`.
 */
source: string
distribution: string
version: string
reason: string
/**
 * It was not there in time; it is taken in when it comes.
 */
timedOut: boolean
}[]
}
/**
 * A page of hits, best first. ranked is the number of matches that were ranked when that was capped.
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
 * The names of its tags.
 */
tags: string[]
owner: (string | null)
/**
 * Why this hit: what of it the terms of the query fit, at most five, some of each term.
 */
matches: {
key: string
value: string
scope: ("USER" | "SYSTEM")
/**
 * The aspect that says it.
 */
aspect: string
/**
 * What fits: the entity's name or type, the key, or the value under it.
 */
matchedOn: ("name" | "type" | "key" | "value")
/**
 * The text of what fits, cut where it is long, in parts; plain text.
 */
parts: {
text: string
/**
 * Whether a term is found here.
 */
highlighted: boolean
}[]
}[]
/**
 * The names of its glossary terms.
 */
terms: string[]
/**
 * The names of its domains.
 */
domains: string[]
/**
 * True of what was softly deleted (status.removed); absent otherwise.
 */
removed?: boolean
}[]
total: number
isLowerBound: boolean
ranked: (number | null)
/**
 * How many matches have which values, by facet, the most frequent first; exact as far as total is. The 20 most frequent values of each.
 */
facets: {
[k: string]: {
value: string
count: number
/**
 * The name of what the value refers to, where it has another one.
 */
name?: string
}[]
}
/**
 * The title of each facet, in the order in which they are shown.
 */
labels: {
[k: string]: string
}
cursor: (string | null)
}
/**
 * What an aspect that is told by time says, newest first.
 */
export interface TimeseriesValues {
values: {
/**
 * The moment that it tells of. ISO 8601, UTC, milliseconds.
 */
time: string
/**
 * When the catalog was told. ISO 8601, UTC, milliseconds.
 */
recorded: string
actor: string
value: {

}
}[]
/**
 * Whether the answer ended before `limit`, at 4 MiB: read on with an earlier `end`.
 */
truncated: boolean
}
/**
 * History of an aspect, newest first; diff is the JSON Patch from the version before.
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
 * What the writer said of itself, in DataHub's words (runId, lastObserved, ...).
 */
systemMetadata?: {

}
}[]
cursor: (string | null)
}
/**
 * What became of a batch, in its order.
 */
export interface WriteResults {
results: WriteResult[]
}
