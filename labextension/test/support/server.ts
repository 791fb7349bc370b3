import { ServerConnection } from '@jupyterlab/services';
import type { Entity, EntityType, Lineage, Run, SearchResults } from '../../src/generated/api';

/** A response of the fake server. */
export interface IAnswer {
  status?: number;
  body?: unknown;
  type?: string;
}

/** A request to the fake server. */
export interface IRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

/** Node's Request rejects the signals of jsdom; the client detects aborted requests itself. */
class RequestWithoutSignal extends Request {
  constructor(input: RequestInfo | URL, init: RequestInit = {}) {
    super(input, { ...init, signal: null });
  }
}

type Route = (seen: IRequest) => IAnswer | Promise<IAnswer>;

const ROOT = '/hub/colophon/api/';

/** Returns whether the body of a request is a file. */
function isFile(request: Request): boolean {
  return request.headers.get('Content-Type') === 'application/octet-stream';
}

/** The server side of `fetch`; the client side is not faked. */
export class FakeServer {
  readonly seen: IRequest[] = [];

  /** Sets the response for a method and a decoded path below the root of the API. */
  on(method: string, path: string, route: Route | IAnswer): this {
    this._routes.set(`${method} ${path}`, typeof route === 'function' ? route : () => route);
    return this;
  }

  /** Settings of a server with a base path. */
  get settings(): ServerConnection.ISettings {
    return ServerConnection.makeSettings({
      baseUrl: 'http://lab.test/hub/',
      wsUrl: 'ws://lab.test/hub/',
      token: 'secret',
      Request: RequestWithoutSignal,
      fetch: (request, init) => this._answer(request, init)
    });
  }

  /** Returns how often a path was requested. */
  count(method: string, path: string): number {
    return this.seen.filter(request => request.method === method && request.path === path).length;
  }

  private async _answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const text = await request.text();
    const seen: IRequest = {
      method: request.method,
      path: url.pathname.startsWith(ROOT)
        ? url.pathname.slice(ROOT.length).split('/').map(decodeURIComponent).join('/')
        : '',
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : isFile(request) ? text : JSON.parse(text)
    };
    this.seen.push(seen);
    const route = this._routes.get(`${seen.method} ${seen.path}`);
    const answer: IAnswer = route ? await route(seen) : { status: 404, body: 'no such page', type: 'text/html' };
    const { status = 200, body, type = 'application/json' } = answer;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'Content-Type': type }
    });
  }

  private _routes = new Map<string, Route>();
}

/** A problem document. */
export function problem(status: number, detail: string, errors: { pointer: string; message: string }[] = []): IAnswer {
  return {
    status,
    type: 'application/problem+json',
    body: { type: 'urn:jupyter-colophon:problem:test', title: 'Test', status, detail, errors }
  };
}

/** The URN of a table. */
export function table(name: string): string {
  return `urn:li:dataset:(urn:li:dataPlatform:spark,flights.${name},PROD)`;
}

/** The URN of a column. */
export function column(of: string, path: string): string {
  return `urn:li:schemaField:(${table(of)},${path})`;
}

/** The URN of a notebook's cell. */
export function cell(id: string): string {
  return `urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.flights.ipynb#${id})`;
}

const STAMP = { time: '2026-11-20T12:00:00.000Z', actor: 'ada' };

type Match = SearchResults['hits'][number]['matches'][number];

/** A match of a hit, with defaults. */
type Why = Pick<Match, 'key' | 'value' | 'scope'> & Partial<Match>;

/** A search hit. */
export function hit(name: string, why: Why[] = []): SearchResults['hits'][number] {
  const matches = why.map(item => ({
    aspect: 'businessMetadata',
    matchedOn: 'value' as const,
    parts: [{ text: item.value, highlighted: true }],
    ...item
  }));
  return {
    urn: table(name),
    type: 'dataset',
    namespace: 'flights',
    name,
    platform: 'spark',
    created: STAMP,
    updated: STAMP,
    description: '',
    tags: [],
    systemTags: [],
    displayName: null,
    terms: [],
    domains: [],
    owner: null,
    matches,
    certification: null,
    quality: null
  };
}

/** A page of hits. */
export function answerOf(hits: SearchResults['hits'], cursor: string | null = null): SearchResults {
  return {
    query: '',
    hits,
    total: hits.length,
    isLowerBound: false,
    ranked: null,
    facets: { type: [], namespace: [], tag: [] },
    labels: { type: 'Type', namespace: 'Namespace', tag: 'Tag' },
    cursor,
    suggestions: []
  };
}

/** A lineage answer; an edge is `[source, target]`. */
export function lineageOf(
  urn: string,
  edges: [string, string][],
  hidden: Record<string, [number, number]> = {}
): Lineage {
  const urns = [...new Set([urn, ...edges.flat()])];
  return {
    urn,
    direction: 'both',
    levels: 1,
    start: null,
    end: null,
    asOf: null,
    nodes: urns.map(node => ({
      urn: node,
      type: node.includes('dataJob') ? 'dataJob' : 'dataset',
      namespace: 'flights',
      name: node,
      platform: null,
      level: 0,
      deleted: false,
      notShown: { upstream: hidden[node]?.[0] ?? 0, downstream: hidden[node]?.[1] ?? 0 }
    })),
    edges: edges.map(([source, target]) => ({
      source,
      target,
      access: 'read',
      runs: [],
      runCount: 1,
      start: STAMP.time,
      end: STAMP.time,
      components: [],
      reportedBy: 'ada',
      declared: false,
      statements: []
    })),
    columns: [],
    truncated: false,
    frontier: []
  };
}

/** A run of a cell. */
export function runOf(id: string): Run {
  return {
    urn: `urn:li:dataProcessInstance:${id}`,
    runId: id,
    program: cell(id),
    name: `flights.ipynb#${id}`,
    status: 'succeeded',
    start: STAMP.time,
    end: STAMP.time,
    parent: null,
    actor: 'ada',
    via: null,
    facts: { notebook: 'flights.ipynb', cellId: id },
    arguments: {},
    accesses: [],
    intendedOutputs: []
  };
}

/** The schema of user metadata in the registry. */
export const PEOPLE: EntityType['aspects'][number] = {
  name: 'businessMetadata',
  title: 'User metadata',
  scope: 'USER',
  key: false,
  editableByDefault: true,
  timeseries: false,
  uihints: { order: ['tags', 'properties'] },
  described: ['properties', 'tags'],
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:jupyter-colophon:aspects:businessMetadata:v1',
    type: 'object',
    properties: {
      properties: {
        type: 'object',
        title: 'Properties',
        propertyNames: { pattern: '^[A-Za-z0-9_-]{1,50}$', not: { pattern: '^[Tt][Aa][Gg][Ss]$' } },
        additionalProperties: { type: 'string', maxLength: 20 }
      },
      tags: {
        type: 'array',
        title: 'Tags',
        items: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,50}$' },
        uniqueItems: true,
        maxItems: 500
      }
    },
    required: ['properties', 'tags'],
    additionalProperties: false
  }
};

/** A table with user metadata. */
export function entityOf(name: string, value: object, version = 1): Entity {
  return {
    urn: table(name),
    type: 'dataset',
    namespace: 'flights',
    name,
    platform: 'spark',
    created: STAMP,
    updated: STAMP,
    aspects: {
      businessMetadata: {
        name: 'businessMetadata',
        scope: 'USER',
        version,
        value: value,
        actor: 'ada',
        via: null,
        time: STAMP.time
      }
    },
    descriptors: []
  };
}
