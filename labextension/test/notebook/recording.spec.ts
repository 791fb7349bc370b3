import { Signal } from '@lumino/signaling';
import { expect, test } from 'vitest';
import type { ICurrentNotebook } from '../../src/notebook/current-notebook';
import type { IKernel, INotebookWidget } from '../../src/notebook/notebooks';
import { KernelRecording } from '../../src/notebook/recording';

type Comm = ReturnType<IKernel['createComm']>;

/** A kernel without JupyterLab: `comms` has those that were opened. */
class Kernel implements IKernel {
  readonly comms: (Comm & { isDisposed: boolean })[] = [];
  status = 'idle';
  handleComms = true;
  constructor(readonly id: string) {}

  createComm(): Comm {
    const comm = {
      isDisposed: false,
      onMsg: () => undefined,
      onClose: () => undefined,
      open: () => undefined,
      dispose: () => {
        comm.isDisposed = true;
      }
    };
    this.comms.push(comm);
    return comm;
  }

  send(data: unknown): void {
    this.comms.at(-1)?.onMsg({ content: { data } });
  }
}

function createNotebook(kernel: Kernel | null) {
  const owner = {};
  const sessionContext = {
    session: { kernel },
    kernelChanged: new Signal<object, void>(owner),
    statusChanged: new Signal<object, void>(owner)
  };
  return { sessionContext, widget: { context: { sessionContext } } as unknown as INotebookWidget };
}

class Notebooks implements ICurrentNotebook {
  readonly changed: Signal<ICurrentNotebook, void> = new Signal<ICurrentNotebook, void>(this);
  state: string | null = null;
  widget: INotebookWidget | undefined;

  show(widget: INotebookWidget | undefined): void {
    this.widget = widget;
    this.changed.emit();
  }
}

test('the status is that of the kernel of the current notebook, also after a restart', () => {
  const notebooks = new Notebooks();
  const recording = new KernelRecording(notebooks, () => notebooks.widget);
  expect(recording.state.state).toBe('none');
  const kernel = new Kernel('k1');
  const { widget, sessionContext } = createNotebook(kernel);
  kernel.status = 'starting';
  notebooks.show(widget);
  expect(kernel.comms).toHaveLength(0);
  kernel.status = 'idle';
  sessionContext.statusChanged.emit();
  sessionContext.statusChanged.emit();
  expect(kernel.comms).toHaveLength(1);
  kernel.send({ state: 'on', reason: '', waiting: 0 });
  expect(recording.state.state).toBe('on');
  kernel.send({ state: 'away', reason: 'connection refused', waiting: 3 });
  expect(recording.state).toEqual({ state: 'away', reason: 'connection refused', waiting: 3 });
  kernel.send('nonsense');
  expect(recording.state.state).toBe('unknown');

  // A restart ends the comm.
  kernel.comms.forEach(comm => comm.dispose());
  sessionContext.statusChanged.emit();
  kernel.send({ state: 'off' });
  expect([kernel.comms.length, recording.state.state]).toEqual([2, 'off']);

  const other = createNotebook(new Kernel('k2'));
  notebooks.show(other.widget);
  expect(kernel.comms.at(-1)?.isDisposed).toBe(true);
  notebooks.show(undefined);
  expect(recording.state.state).toBe('none');
  recording.dispose();
});

test('a kernel without the extension is asked again only on request', () => {
  const notebooks = new Notebooks();
  const recording = new KernelRecording(notebooks, () => notebooks.widget);
  const kernel = new Kernel('k1');
  const { widget, sessionContext } = createNotebook(kernel);
  notebooks.show(widget);
  kernel.comms[0]?.onClose();
  expect(recording.state.state).toBe('unknown');
  sessionContext.statusChanged.emit();
  expect(kernel.comms).toHaveLength(1);
  recording.retry();
  kernel.send({ state: 'on' });
  expect([kernel.comms.length, recording.state.state]).toEqual([2, 'on']);
  recording.dispose();
});

test('a connection that may not open comms opens none', () => {
  const notebooks = new Notebooks();
  const recording = new KernelRecording(notebooks, () => notebooks.widget);
  const kernel = new Kernel('k1');
  kernel.handleComms = false;
  notebooks.show(createNotebook(kernel).widget);
  expect(kernel.comms).toHaveLength(0);
  recording.dispose();
});
