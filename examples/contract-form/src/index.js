import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import React from 'react';

/** A number of days, with buttons for the usual ones. */
function RetentionField({ formData, onChange, idSchema, schema, disabled }) {
  const id = idSchema.$id;
  return React.createElement(
    React.Fragment,
    null,
    React.createElement('input', {
      id,
      type: 'number',
      value: formData ?? '',
      disabled,
      'aria-describedby': `${id}__error ${id}__description`,
      onChange: event => onChange(event.target.value === '' ? undefined : Number(event.target.value))
    }),
    ...(schema.examples ?? []).map(days =>
      React.createElement('button', { key: days, type: 'button', disabled, onClick: () => onChange(days) }, `${days} days`)
    )
  );
}

export default {
  id: 'acme-contracts:plugin',
  autoStart: true,
  requires: [IFormRendererRegistry],
  activate: (app, registry) => {
    registry.addRenderer('acme-contracts:plugin.retention', { fieldRenderer: RetentionField });
  }
};
