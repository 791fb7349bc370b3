import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import { carriesTag, readDroppedTag, TAG_MIME } from '../model/editing/tag-drag';

/** The properties of an element from which a tag can be dragged. */
export function makeTagDraggable(tag: string): Pick<React.HTMLAttributes<HTMLElement>, 'draggable' | 'onDragStart'> {
  return {
    draggable: true,
    onDragStart: event => {
      event.dataTransfer.setData(TAG_MIME, tag);
      event.dataTransfer.setData('text/plain', tag);
      event.dataTransfer.effectAllowed = 'copy';
    }
  };
}

/** The properties of an element on which tags can be dropped. */
export interface ITagDropProps extends Pick<
  React.HTMLAttributes<HTMLElement>,
  'onDragEnter' | 'onDragOver' | 'onDragLeave' | 'onDrop'
> {
  /** Whether a tag is over the element. */
  'data-tag-over'?: boolean;
}

/** Makes an element accept tags; null accepts none. */
export function useTagDrop(drop: ((tag: string) => void) | null): ITagDropProps {
  const [isOver, setOver] = React.useState(false);
  if (drop === null) {
    return {};
  }
  const accept = (event: React.DragEvent): void => {
    if (carriesTag(event.dataTransfer)) {
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    }
  };
  return {
    'data-tag-over': isOver,
    onDragEnter: accept,
    onDragOver: accept,
    onDragLeave: event => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) {
        setOver(false);
      }
    },
    onDrop: event => {
      setOver(false);
      const tag = readDroppedTag(event.dataTransfer);
      if (tag !== '') {
        event.preventDefault();
        event.stopPropagation();
        drop(tag);
      }
    }
  };
}

/** A tag as a button that can be dragged onto tables and columns. */
export function DraggableTag(props: { tag: string; open: () => void; trans: TranslationBundle }): React.JSX.Element {
  const { tag, open, trans } = props;
  return (
    <button
      type="button"
      className="jp-Colophon-tag jp-Colophon-dragTag"
      title={trans.__('Drag onto a table or a column to add the tag')}
      onClick={open}
      {...makeTagDraggable(tag)}
    >
      {tag}
    </button>
  );
}
