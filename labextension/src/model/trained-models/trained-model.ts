import type { Entity } from '../../generated/api';

/** A metric or a parameter of a model. */
export interface IModelValue {
  name: string;
  value: string;
  description: string;
}

/** How a model was trained, on what, and how good it is. */
export interface ITrainedModel {
  algorithm: string;
  metrics: readonly IModelValue[];
  parameters: readonly IModelValue[];
  /** The URNs of the data that it was trained on and evaluated with, and of the programs that trained it. */
  trainingData: readonly string[];
  evaluationData: readonly string[];
  programs: readonly string[];
}

type Document = Readonly<Record<string, unknown>>;

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null;
}

function listDocuments(value: unknown): Document[] {
  return Array.isArray(value) ? value.filter(isDocument) : [];
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function readValues(value: unknown): IModelValue[] {
  return listDocuments(value).map(item => ({
    name: readText(item['name']),
    value: readText(item['value']),
    description: readText(item['description'])
  }));
}

function readDatasets(value: unknown): string[] {
  return listDocuments(value).flatMap(({ dataset }) => (typeof dataset === 'string' ? [dataset] : []));
}

/** Reads what DataHub's aspects know of a model; null if they know nothing. */
export function readTrainedModel({ type, aspects }: Pick<Entity, 'type' | 'aspects'>): ITrainedModel | null {
  if (type !== 'mlModel') {
    return null;
  }
  const getValue = (name: string): Document => aspects[name]?.value ?? {};
  const properties = getValue('mlModelProperties');
  const { trainingJobs } = properties;
  const model = {
    algorithm: readText(properties['type']),
    metrics: [...readValues(properties['trainingMetrics']), ...readValues(properties['onlineMetrics'])],
    parameters: readValues(properties['hyperParams']),
    trainingData: readDatasets(getValue('mlModelTrainingData')['trainingData']),
    evaluationData: readDatasets(getValue('mlModelEvaluationData')['evaluationData']),
    programs: Array.isArray(trainingJobs) ? trainingJobs.map(readText).filter(urn => urn !== '') : []
  };
  return Object.values(model).some(({ length }) => length > 0) ? model : null;
}

/** Formats a metric or a parameter: numbers with at most four significant digits, other texts unchanged. */
export function formatModelValue(value: string): string {
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number.toLocaleString(undefined, { maximumSignificantDigits: 4 }) : value;
}
