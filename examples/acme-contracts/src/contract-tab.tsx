import type { Entity, IEntityTabProps } from 'jupyter-colophon';
import React from 'react';

/** The value of the aspect, as the registry file describes it. */
interface IContract {
  retention: number;
  steward?: string;
}

/** Returns the contract of an entity; undefined if it has none. */
export function getContract(entity: Entity): IContract | undefined {
  return entity.aspects['contract']?.value as IContract | undefined;
}

/** The contract of an entity in a sentence. */
export function ContractTab({ entity, metadata }: IEntityTabProps): React.JSX.Element {
  const contract = getContract(entity);
  if (contract === undefined) {
    return <p>No contract.</p>;
  }
  const { retention, steward } = contract;
  return (
    <section aria-label="Contract terms">
      <p>Kept for {retention} days.</p>
      {steward !== undefined && (
        <p>
          Steward: <code>{steward}</code>
        </p>
      )}
      <button type="button" className="jp-Button" onClick={() => metadata.openLineage(entity.urn)}>
        Who depends on this contract?
      </button>
    </section>
  );
}
