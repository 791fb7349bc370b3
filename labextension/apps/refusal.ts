/** Why a server refuses what the user has entered. */
export interface IRefusal {
  /** The member of the body that is wrong, such as `source/path`; empty if the message names none. */
  member: string;
  message: string;
}

/** Reads the refusal from the message of an error; null if it is empty. */
export function parseRefusal(text: string): IRefusal | null {
  if (text === '') {
    return null;
  }
  const match = /^(the body|[\w/]+): (.*)$/s.exec(text);
  const member = match?.[1] === 'the body' ? '' : (match?.[1] ?? '');
  return { member, message: match?.[2] ?? text };
}
