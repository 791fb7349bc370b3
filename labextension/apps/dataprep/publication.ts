/** What a pipeline does with rows that a directive cannot process. */
export const ON_REJECTED = ['fail', 'skip', 'write'] as const;
export type OnRejected = (typeof ON_REJECTED)[number];

/** How a workspace is made a pipeline. */
export interface IPublication {
  /** The folder that the pipeline writes. */
  sink: string;
  onRejected: OnRejected;
  /** The folder of the rejected rows, if they are written. */
  rejected?: string;
}
