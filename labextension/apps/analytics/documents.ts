/** Where the rows of an experiment or a prediction are: a path, or the URN of a dataset. */
export interface ISource {
  path?: string;
  dataset?: string;
  format?: string;
  header?: boolean;
}

export type ColumnType = 'numeric' | 'categorical';

/** A column that an experiment uses. */
export interface IColumn {
  name: string;
  type: ColumnType;
}

/** A column of a source, with some of its values. */
interface IInspectedColumn extends IColumn {
  distinct: number;
  nulls: number;
  examples: readonly string[];
}

/** The columns of a source, from its first rows. */
export interface IInspection {
  source: ISource;
  columns: readonly IInspectedColumn[];
}

/** What the user enters for an experiment. */
export interface IExperimentDraft {
  description: string;
  source: ISource;
  outcome: IColumn;
  predictors: readonly IColumn[];
}

export interface IExperiment extends IExperimentDraft {
  name: string;
  problemType: 'classification' | 'regression';
  splits: number;
  models: number;
  createdBy: string;
  createdMs: number;
}

/** Work that runs on Spark. */
export interface IJob {
  name: string;
  state: 'running' | 'complete' | 'failed';
  progress: string;
  problem: string;
  lineageProblem: string;
  createdMs: number;
}

export interface ISplitDraft {
  name: string;
  type: 'random' | 'stratified';
  trainFraction: number;
  seed: number;
}

/** The rows of one part of a split. */
interface IPart {
  rows: number;
  dataset: string;
}

interface IBin {
  from: number;
  to: number;
  count: number;
}

interface INumericStatistics {
  count: number;
  nulls: number;
  distinct: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  stddev: number | null;
  histogram: readonly IBin[];
}

interface ICategoricalStatistics {
  count: number;
  nulls: number;
  distinct: number;
  topValues: readonly { value: string; count: number }[];
}

interface ISimilarity {
  test: string;
  statistic: number;
  pValue: number;
  similar: boolean;
}

/** The statistics of a column in both parts of a split. */
export type ColumnStatistics = { column: string; similarity: ISimilarity | null } & (
  | { type: 'numeric'; train: INumericStatistics; test: INumericStatistics }
  | { type: 'categorical'; train: ICategoricalStatistics; test: ICategoricalStatistics }
);

export interface ISplit extends IJob, ISplitDraft {
  train: IPart | null;
  test: IPart | null;
  /** Absent in lists; null until the split is complete. */
  statistics?: readonly ColumnStatistics[] | null;
}

export type Parameter = string | number | boolean;

/** The JSON Schema of a parameter of an algorithm. */
export interface IParameterSchema {
  type: 'integer' | 'number' | 'boolean' | 'string';
  title: string;
  description: string;
  default: Parameter;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
}

export interface IAlgorithm {
  name: string;
  title: string;
  problemType: IExperiment['problemType'];
  description: string;
  schema: { properties: Readonly<Record<string, IParameterSchema>> };
}

export interface IModelDraft {
  name: string;
  description: string;
  split: string;
  algorithm: string;
  parameters: Readonly<Record<string, Parameter>>;
}

type Metrics = Readonly<Record<string, number>>;

/** The evaluation of a classification: rows of `confusion` are actual classes, columns are predicted ones. */
export interface IClassification {
  classes: readonly string[];
  confusion: readonly (readonly number[])[];
  roc: readonly { fpr: number; tpr: number }[] | null;
}

/** The evaluation of a regression. */
export interface IRegression {
  points: readonly { actual: number; predicted: number }[];
}

export interface IModel extends IJob, IModelDraft {
  metrics: Metrics | null;
  trainMetrics: Metrics | null;
  /** Absent in lists; null until the model is complete. */
  evaluation?: IClassification | IRegression | null;
  importances?: readonly { feature: string; value: number }[] | null;
  importanceKind?: 'importance' | 'coefficient' | '';
  /** The URN of the model in the catalog; empty until it is complete. */
  entity: string;
}

export interface IPredictionDraft {
  name: string;
  source: ISource;
  target: string;
  format: 'parquet' | 'csv';
}

/** A model that was applied to a file. */
export interface IPrediction extends IJob, IPredictionDraft {
  rows: number | null;
  dataset: string;
}
