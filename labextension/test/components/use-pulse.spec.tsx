import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { afterEach, expect, test } from 'vitest';
import { usePulse } from '../../src/components/use-pulse';
import { waitUntil } from '../support/wait-until';

function Item({ value, isNew }: { value: string; isNew: boolean }): React.JSX.Element {
  return <p ref={usePulse<HTMLParagraphElement>(value, isNew)}>{value}</p>;
}

/** A widget with one item. */
class ItemWidget extends ReactWidget {
  constructor(
    private _value: string,
    private _isNew: boolean
  ) {
    super();
    Widget.attach(this, document.body);
  }

  setValue(value: string): Promise<void> {
    this._value = value;
    this.update();
    return waitUntil(() => this.node.textContent === value);
  }

  get isMarked(): boolean {
    return this.node.querySelector('p')?.classList.contains('jp-mod-changed') === true;
  }

  protected override render(): React.JSX.Element {
    return <Item value={this._value} isNew={this._isNew} />;
  }
}

let widget: ItemWidget | null = null;

afterEach(() => widget?.dispose());

test('an element is marked for a moment when its value changes, not when it appears', async () => {
  widget = new ItemWidget('a', false);
  await widget.setValue('a');
  expect(widget.isMarked).toBe(false);
  await widget.setValue('b');
  await waitUntil(() => widget?.isMarked === true);
  await waitUntil(() => widget?.isMarked === false);
});

test('a new element is marked when it appears', async () => {
  widget = new ItemWidget('a', true);
  await waitUntil(() => widget?.isMarked === true);
});
