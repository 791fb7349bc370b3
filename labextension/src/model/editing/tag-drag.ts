/** The MIME type of a dragged tag. */
export const TAG_MIME = 'application/vnd.jupyter-colophon.tag';

/** Whether a drag carries a tag; its text can only be read when it is dropped. */
export function carriesTag(data: DataTransfer | null): boolean {
  return data?.types.includes(TAG_MIME) ?? false;
}

/** Returns the dropped tag; empty if there is none. */
export function readDroppedTag(data: DataTransfer | null): string {
  return data?.getData(TAG_MIME) ?? '';
}
