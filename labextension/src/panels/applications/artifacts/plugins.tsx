import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { ScrollableTable } from '../../../components/scrollable-table';
import type { Artifact } from '../../../generated/api';
import { OpenedSection } from '../opened-section';

type Plugin = Artifact['plugins'][number];

/** A property of a plugin, as its JSON Schema declares it. */
interface IProperty {
  name: string;
  type: string;
  title: string;
  isRequired: boolean;
}

function listProperties({ schema }: Plugin): IProperty[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: unknown; title?: unknown }>;
    required?: unknown[];
  };
  return Object.entries(properties).map(([name, { type, title }]) => ({
    name,
    type: typeof type === 'string' ? type : '',
    title: typeof title === 'string' ? title : '',
    isRequired: required.includes(name)
  }));
}

/** Returns how many input stages a plugin takes, such as "1" or "2 or more". */
function formatInputs({ inputs: [minimum, maximum] }: Plugin, trans: TranslationBundle): string {
  if (maximum === null || maximum === undefined) {
    return trans.__('%1 or more', minimum);
  }
  return minimum === maximum ? String(minimum) : trans.__('%1 to %2', minimum, maximum);
}

/** A property, on a line of its own. */
function Property({ property, trans }: { property: IProperty; trans: TranslationBundle }): React.JSX.Element {
  const { name, type, title, isRequired } = property;
  const facts = [title, type, isRequired ? trans.__('required') : ''].filter(fact => fact !== '');
  return (
    <li>
      <code>{name}</code> {facts.length > 0 && <span className="jp-Colophon-note">{facts.join(', ')}</span>}
    </li>
  );
}

/** The plugins of an artifact, with what they declare. It gets the focus when it opens. */
export function Plugins(props: { artifact: Artifact; close: () => void; trans: TranslationBundle }): React.JSX.Element {
  const { artifact, close, trans } = props;
  const title = trans.__('Plugins of %1 %2', artifact.name, artifact.version);
  return (
    <OpenedSection title={title} subject={artifact.urn} close={close} trans={trans}>
      <ScrollableTable label={title}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Name')}</th>
            <th scope="col">{trans.__('Used by')}</th>
            <th scope="col">{trans.__('Type')}</th>
            <th scope="col">{trans.__('Description')}</th>
            <th scope="col">{trans.__('Class')}</th>
            <th scope="col">{trans.__('Inputs')}</th>
            <th scope="col">{trans.__('Properties')}</th>
            <th scope="col">{trans.__('Arguments')}</th>
          </tr>
        </thead>
        <tbody>
          {artifact.plugins.map(plugin => (
            <tr key={plugin.value}>
              <th scope="row">
                {plugin.name}
                {plugin.title !== '' && plugin.title !== plugin.name && (
                  <p className="jp-Colophon-note">{plugin.title}</p>
                )}
              </th>
              <td>{plugin.use === 'pipeline' ? trans.__('stages of pipelines') : trans.__('applications')}</td>
              <td>{plugin.type}</td>
              <td>{plugin.description}</td>
              <td>
                <code>{plugin.value}</code>
              </td>
              <td>{plugin.use === 'pipeline' && formatInputs(plugin, trans)}</td>
              <td>
                <ul className="jp-Colophon-appPanels">
                  {listProperties(plugin).map(property => (
                    <Property key={property.name} property={property} trans={trans} />
                  ))}
                </ul>
              </td>
              <td>{plugin.arguments.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </ScrollableTable>
    </OpenedSection>
  );
}
