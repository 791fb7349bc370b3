import { expect, test } from 'vitest';
import { compareDocuments } from '../../../src/model/difference';
import { nameField } from '../../../src/model/schemas/field-names';

test('changes of columns are named by the column, and its key is not a change', () => {
  const after = { editableSchemaFieldInfo: [{ fieldPath: 'origin', description: 'Airport of departure' }] };
  const places = compareDocuments({}, after, nameField).map(({ place }) => place);
  expect(places).toEqual(['origin › description']);
});
