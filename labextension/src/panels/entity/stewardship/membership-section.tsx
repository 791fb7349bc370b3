import { addIcon } from '@jupyterlab/ui-components';
import React from 'react';
import { ProblemNote } from '../../../components/problem';
import { useLiveModel } from '../../../components/use-live-model';
import { useModel } from '../../../components/use-model';
import type { Entity } from '../../../generated/api';
import type { Person } from '../../../model/stewardship/memberships';
import { MembershipModel } from '../../../model/stewardship/memberships';
import { EditableText, useFieldEditor } from '../metadata/editable-text';
import { getFieldText } from '../metadata/user-metadata';
import type { IPageProps } from '../page';

const TEAM_TYPE = 'corpGroup';
/** The aspect of each type with the address for questions. */
const CONTACT_ASPECTS: Readonly<Record<string, string>> = { corpuser: 'corpUserInfo', [TEAM_TYPE]: 'corpGroupInfo' };
const EMAIL = '/email';

/** The email address of a user or a team, edited in place. */
function Contact({ page, entity, aspect }: IPageProps & { entity: Entity; aspect: string }): React.JSX.Element | null {
  const { model, trans } = page;
  const { type, mayRecord } = useModel(model);
  const spec = type?.aspects.find(({ name }) => name === aspect);
  const field = spec === undefined ? null : { spec, pointer: EMAIL };
  const editor = useFieldEditor(model, field);
  // The other members of the aspect are required: it is written when the entity is created.
  const canEdit = mayRecord && entity.aspects[aspect] !== undefined;
  return field === null ? null : (
    <EditableText
      page={page}
      editor={editor}
      pointer={EMAIL}
      open={() => model.editField(field)}
      label={trans.__('Email')}
      text={getFieldText(entity.aspects[aspect]?.value, EMAIL)}
      prompt={trans.__('Add an email address')}
      canEdit={canEdit}
      render={address => <a href={`mailto:${encodeURIComponent(address)}`}>{address}</a>}
    />
  );
}

function People(props: {
  label: string;
  people: readonly Person[];
  open: (urn: string) => void;
  remove: ((person: Person) => void) | null;
  removeLabel: (name: string) => string;
}): React.JSX.Element {
  const { label, people, open, remove, removeLabel } = props;
  return (
    <ul aria-label={label}>
      {people.map(person => (
        <li key={person.owner} className="jp-Colophon-content">
          <button type="button" className="jp-Colophon-link" title={person.owner} onClick={() => open(person.owner)}>
            {person.name}
          </button>
          {remove && (
            <button
              type="button"
              className="jp-Colophon-tool jp-Colophon-remove"
              title={removeLabel(person.name)}
              aria-label={removeLabel(person.name)}
              onClick={() => remove(person)}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Memberships({ page, memberships }: IPageProps & { memberships: MembershipModel }): React.JSX.Element {
  const { model, actions, trans } = page;
  const { members, teams, owned, mayChange, busy, problem } = useModel(memberships);
  const { entity } = useModel(model);
  const isTeam = entity?.type === TEAM_TYPE;
  const label = isTeam ? trans.__('Members') : trans.__('Teams');
  const add = async (): Promise<void> => {
    const urn = isTeam ? await actions.pickPerson('corpuser') : await actions.pickPerson(TEAM_TYPE);
    if (urn !== null) {
      await (isTeam ? memberships.add(urn, model.urn) : memberships.add(model.urn, urn));
    }
  };
  const remove = ({ owner }: Person): void =>
    void (isTeam ? memberships.remove(owner, model.urn) : memberships.remove(model.urn, owner));
  return (
    <section className="jp-Colophon-card-section" aria-label={label} aria-busy={busy}>
      <h2>{label}</h2>
      {problem && <ProblemNote problem={problem} trans={trans} retry={() => void memberships.refresh()} />}
      <People
        label={label}
        people={isTeam ? members : teams}
        open={urn => actions.openEntity(urn)}
        remove={mayChange ? remove : null}
        removeLabel={name => (isTeam ? trans.__('Remove %1 from the team', name) : trans.__('Leave %1', name))}
      />
      {mayChange && (
        <button type="button" className="jp-Colophon-prompt" onClick={() => void add()}>
          <addIcon.react tag="span" width="14px" />
          {isTeam ? trans.__('Add a member') : trans.__('Add to a team')}
        </button>
      )}
      <p>
        <button
          type="button"
          className="jp-Colophon-link"
          onClick={() => actions.search({ query: '*', filters: { owner: model.urn } })}
        >
          {trans._n('Owns %1 entity', 'Owns %1 entities', owned)}
        </button>
      </p>
      {entity && <Contact page={page} entity={entity} aspect={CONTACT_ASPECTS[entity.type] ?? ''} />}
    </section>
  );
}

/** The members of a team or the teams of a user, what they own, and their address; nothing for other entities. */
export function MembershipSection({ page }: IPageProps): React.JSX.Element | null {
  const { model, services } = page;
  const { metadata } = services;
  const { entity } = useModel(model);
  const isPerson = entity !== null && CONTACT_ASPECTS[entity.type] !== undefined;
  return isPerson ? <LiveMemberships page={page} key={model.urn} metadata={metadata} /> : null;
}

function LiveMemberships({
  page,
  metadata
}: IPageProps & { metadata: IPageProps['page']['services']['metadata'] }): React.JSX.Element | null {
  const { urn } = page.model;
  const memberships = useLiveModel(() => new MembershipModel(metadata, metadata.feed, urn), [metadata, urn]);
  return memberships && <Memberships page={page} memberships={memberships} />;
}
