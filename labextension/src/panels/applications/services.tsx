import React from 'react';
import { ScrollableTable } from '../../components/scrollable-table';
import { useModel } from '../../components/use-model';
import type { SystemApp } from '../../generated/api';
import type { IApplicationsProps } from './body';

interface IServiceProps extends IApplicationsProps {
  app: SystemApp;
  service: SystemApp['services'][number];
}

/** Sets how many worker processes run a service. The server knows the limits, and its refusal is shown at the input. */
function InstancesForm({ model, app, service, trans }: IServiceProps): React.JSX.Element {
  const { instancesProblem: refused } = useModel(model);
  const [value, setValue] = React.useState(String(service.requested ?? 1));
  const id = React.useId();
  const problem = refused?.app === app.name && refused.service === service.name ? refused.problem : null;
  const messages = problem?.errors.map(({ message }) => message) ?? [];
  return (
    <>
      <form
        className="jp-Colophon-actions"
        onSubmit={event => {
          event.preventDefault();
          void model.setInstances(app.name, service.name, Number(value));
        }}
      >
        <input
          type="number"
          className="jp-mod-styled"
          required
          aria-label={trans.__('Instances of %1 of %2', service.name, app.name)}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : id}
          value={value}
          onChange={event => setValue(event.target.value)}
        />
        <button
          type="submit"
          className="jp-Colophon-button"
          aria-label={trans.__('Set the instances of %1 of %2', service.name, app.name)}
        >
          {trans.__('Set')}
        </button>
      </form>
      {problem && (
        <p id={id} role="alert" className="jp-Colophon-error">
          {messages.length > 0 ? messages.join('; ') : problem.message}
        </p>
      )}
    </>
  );
}

/** A service, with its processes. */
function ServiceRow(props: IServiceProps): React.JSX.Element {
  const { app, service, trans } = props;
  const { name, requested, running } = service;
  const here = app.workers.find(workers => workers.service === name);
  return (
    <tr>
      <th scope="row">{trans.__('%1 of %2', name, app.name)}</th>
      <td>{service.kind === 'spark' ? trans.__('with Spark') : trans.__('without Spark')}</td>
      <td className="jp-Colophon-number">{requested ?? trans.__('threads')}</td>
      <td className="jp-Colophon-number">{requested === null ? '' : running}</td>
      <td className="jp-Colophon-number">{here?.restarts ?? ''}</td>
      <td>
        <InstancesForm {...props} />
        {here !== undefined && here.problem !== '' && <p className="jp-Colophon-error">{here.problem}</p>}
      </td>
    </tr>
  );
}

/** The services of applications with their instances; nothing if there are none. */
export function Services(props: IApplicationsProps & { apps: readonly SystemApp[] }): React.JSX.Element | null {
  const { model, apps, trans } = props;
  if (apps.every(({ services }) => services.length === 0)) {
    return null;
  }
  const title = trans.__('Services');
  return (
    <section className="jp-Colophon-card-section" aria-label={title}>
      <div className="jp-Colophon-sectionHead">
        <h2>{title}</h2>
        <div className="jp-Colophon-actions">
          <button
            type="button"
            className="jp-Colophon-button"
            aria-label={trans.__('Refresh the services')}
            onClick={() => void model.refresh()}
          >
            {trans.__('Refresh')}
          </button>
        </div>
      </div>
      <p className="jp-Colophon-note">
        {trans.__(
          'By default, a service runs on threads of each server. With a number of instances, it runs in that many worker processes, of all servers of the store together; 0 resets it to threads. Restarts are counted by the server that answers.'
        )}
      </p>
      <ScrollableTable label={title}>
        <thead>
          <tr>
            <th scope="col">{trans.__('Service')}</th>
            <th scope="col">{trans.__('Kind')}</th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Requested')}
            </th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Running')}
            </th>
            <th scope="col" className="jp-Colophon-number">
              {trans.__('Restarts')}
            </th>
            <th scope="col">{trans.__('Instances')}</th>
          </tr>
        </thead>
        <tbody>
          {apps.flatMap(app =>
            app.services.map(service => (
              <ServiceRow key={`${app.package}/${app.name}/${service.name}`} {...props} app={app} service={service} />
            ))
          )}
        </tbody>
      </ScrollableTable>
    </section>
  );
}
