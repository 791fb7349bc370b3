import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { RelativeTime } from '../../components/relative-time';
import { useDisplayNames } from '../../components/use-display-names';
import { useModel } from '../../components/use-model';
import type { IRecentEntity } from '../../model/search/recent';
import { describeUrn } from '../../model/urns';
import type { IStarredEntities } from '../../tokens';
import type { IEntityOpeners } from './entity-row';
import { EntityRow } from './entity-row';
import type { SearchModel } from './model';

const MAX_STARRED = 10;

interface ISectionProps {
  model: SearchModel;
  openers: IEntityOpeners;
  trans: TranslationBundle;
}

/** A section of the panel before a search: a heading and a list. */
export function Section(props: { title: string; children: React.ReactNode }): React.JSX.Element {
  return (
    <section aria-label={props.title}>
      <h3>{props.title}</h3>
      <ul className="jp-Colophon-list">{props.children}</ul>
    </section>
  );
}

/** The starred entities, by their URNs: their pages show what they are today. */
export function StarredSection(props: ISectionProps & { starred: IStarredEntities }): React.JSX.Element | null {
  const { model, starred, openers, trans } = props;
  const urns = useModel(starred).slice(0, MAX_STARRED);
  const names = useDisplayNames(model.names, urns);
  return urns.length === 0 ? null : (
    <Section title={trans.__('Starred')}>
      {urns.map(urn => (
        <li key={urn}>
          <EntityRow entity={{ ...describeUrn(urn), displayName: names.get(urn) }} openers={openers} trans={trans} />
        </li>
      ))}
    </Section>
  );
}

/** Recently changed or used entities; those that are changed or added while the list is shown pulse. */
function RecentList(props: ISectionProps & { recent: readonly IRecentEntity[] }): React.JSX.Element {
  const { model, recent, openers, trans } = props;
  const names = useDisplayNames(
    model.names,
    recent.map(({ urn }) => urn)
  );
  const [shownSince] = React.useState(recent[0]?.time ?? '');
  return (
    <Section title={trans.__('Recent')}>
      {recent.map(entity => (
        <li key={entity.urn}>
          <EntityRow
            entity={{ ...entity, displayName: names.get(entity.urn) }}
            openers={openers}
            trans={trans}
            changed={entity.time}
            isNew={entity.time > shownSince}
          >
            <span className="jp-Colophon-description">
              {entity.activity === 'used'
                ? trans.__('read or written by %1', entity.actor)
                : trans.__('changed by %1', entity.actor)}
              {' · '}
              <RelativeTime time={entity.time} trans={trans} />
            </span>
          </EntityRow>
        </li>
      ))}
    </Section>
  );
}

/** Recently changed or used entities. */
export function RecentSection(props: ISectionProps): React.JSX.Element | null {
  const { recent } = useModel(props.model);
  return recent.length === 0 ? null : <RecentList {...props} recent={recent} />;
}
