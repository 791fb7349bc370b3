import React from 'react';
import { Choice, Field, TextField } from './controls';
import type { IParameterSchema, Parameter } from './documents';

type Schemas = Readonly<Record<string, IParameterSchema>>;

/** What the user has entered, by the names of the parameters. */
export type EnteredParameters = Readonly<Record<string, string | boolean>>;

/** Returns the member of the body that has a parameter. */
export function formatMember(parameter: string): string {
  return `parameters/${parameter}`;
}

/** Returns the defaults as a form shows them. */
export function getDefaults(schemas: Schemas): EnteredParameters {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      typeof schema.default === 'boolean' ? schema.default : String(schema.default)
    ])
  );
}

/** Returns the values that the user has entered. */
export function readParameters(schemas: Schemas, entered: EnteredParameters): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { type }]) => {
      const value = entered[name] ?? '';
      return [name, type === 'integer' || type === 'number' ? Number(value) : value];
    })
  );
}

/** The field of a parameter, by its schema. */
function ParameterField(props: {
  name: string;
  schema: IParameterSchema;
  value: string | boolean;
  setValue: (value: string | boolean) => void;
}): React.JSX.Element {
  const { name, schema, value, setValue } = props;
  const texts = { label: schema.title, help: schema.description, members: [formatMember(name)] };
  if (typeof value === 'boolean') {
    return (
      <Field {...texts}>
        {(id, description) => (
          <input
            id={id}
            {...description}
            type="checkbox"
            checked={value}
            onChange={event => setValue(event.target.checked)}
          />
        )}
      </Field>
    );
  }
  if (schema.enum) {
    const options = schema.enum.map(option => ({ value: option, label: option }));
    return <Choice {...texts} value={value} options={options} setValue={setValue} />;
  }
  return (
    <TextField
      {...texts}
      {...(schema.type === 'string' ? {} : { type: 'number', min: schema.minimum, max: schema.maximum })}
      step={schema.type === 'integer' ? 1 : 'any'}
      value={value}
      setValue={setValue}
      required
    />
  );
}

/** The parameters of an algorithm as fields of a form, from their JSON Schemas. */
export function ParameterFields(props: {
  schemas: Schemas;
  entered: EnteredParameters;
  setEntered: (entered: EnteredParameters) => void;
}): React.JSX.Element {
  const { schemas, entered, setEntered } = props;
  return (
    <>
      {Object.entries(schemas).map(([name, schema]) => (
        <ParameterField
          key={name}
          name={name}
          schema={schema}
          value={entered[name] ?? ''}
          setValue={value => setEntered({ ...entered, [name]: value })}
        />
      ))}
    </>
  );
}
