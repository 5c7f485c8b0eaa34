"""The recorder: what the engines tell it becomes entries.

An engine's adapter (``engines/``) reports each call of an operator, with its inputs, its results and the place in the
program; hooks on the modules say which one is running; hooks on nodes and leaves bring the gradients. Everything here is the
same for every engine.

*Nothing of the training is kept alive or changed.* Tensors are held by weak references, a gradient is kept as an array
of the recorder's own, and an error in here or in a user's callback becomes a note in the record: the step goes on.

*Calls inside a backward pass* are recomputations (checkpoints) or the pass itself being recorded (``create_graph``). Their
entries join the record only when a gradient reaches them: that is the case for a reentrant checkpoint, whose first run
recorded nothing, and not for the other kind, whose first run is the one that backward walks.
"""

import math
import os
import sys
import threading
import weakref

from . import names
from .calls import Calls, Hook
from .entry import Cut, Entry
from .found import Models
from .leaves import Leaves
from .select import WHOLE
from .statistics import Statistics, norm_of
from .unseen import reason
from .updates import Updates

__all__ = ["Recorder"]

LOSSES = {"sub", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "squared_error", "absolute_error"}
CUTTERS = {"detach": ".detach()", "detach_": ".detach_()", "data": ".data"}
CUTS_KEPT = 10_000  # an evaluation under no_grad cuts at every call; the first ones tell


_open: dict = {}  # thread -> the recorders that are open in it, of either engine


def _in_a_child():
    """A forked process carries copies of the recorders of its parent; they have nothing to say there."""
    for recorders in _open.values():
        for recorder in recorders:
            recorder.open = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_child)


class Recorder:
    """Collects entries for a ``Record`` while it is open, in the thread that opened it."""

    def __init__(self, record, engine, model, optimizers, every, values):
        self.record, self.engine, self.model = record, engine, model
        self.models = Models(engine)
        self.optimizers, self.every, self.values = optimizers, every, values
        self.form = record._same_form  # what is kept of every gradient, unless names decide
        self.thread = None
        self.open = self.busy = self.resting = False
        self.ordinary = True  # not resting
        self.shown = False  # whether the engine shows it the calls of its thread: the adapter's own
        self.step, self.backward_since = 0, False
        self.calls = Calls(engine, {})
        self.leaves = Leaves(engine, self._leaf_done)
        self.updates = Updates(engine)
        self.live = {}  # id of a tensor -> its newest entry, which refers to it weakly
        self.by_node = {}  # the newest entry of each node, of this step
        self.expecting = []  # entries to which more gradients may come, as their graph is kept
        self.by_leaf = {}  # id of a leaf -> its entry of this step
        self.last_arrival = None  # the entry to which the newest gradient came: where a pass that failed stopped
        self.handles = []
        self.last = None
        self.passing = False  # whether the newest gradients are of one backward pass
        self.scalars = []  # (name, number) of this step: the losses that backward was called on, the learning rate
        self.writer = None  # what writes each step that is over into a file: see store.py
        self.watchers = ()  # objects with `computed`, `arrived`, `stepped`, ...: see alarms.py
        self.alarms = ()  # the errors that they may raise

    # ---------------------------------------------------------------- opening and closing

    def start(self):
        if self.open:
            raise RuntimeError("this recording is open already\nMake another one: recordings may nest, each with entries of its own.")
        if self.leaves.hooked:  # it was open before, and closing took the hooks away
            self.models, self.leaves = Models(self.engine), Leaves(self.engine, self._leaf_done)
        self.thread, self.open = threading.get_ident(), True
        self.together = _open.setdefault(self.thread, [])
        self.together.append(self)
        try:
            if self.model is not None:
                self._hook_model(self.model)
            else:
                self.handles += self.engine.hook_modules(Hook(self.engine.guarded(self._enter)), Hook(self.engine.guarded(self._leave)))
            if self.optimizers is None:
                self.handles += self.engine.hook_optimizers(self._before_update, self._after_update)
            for optimizer in self.optimizers or ():
                self.handles.append(optimizer.register_step_pre_hook(self._before_update))
                self.handles.append(optimizer.register_step_post_hook(self._after_update))
            if self.writer is not None:
                self.writer.opened()
            self.engine.start(self)
        except BaseException:
            self._close()
            raise

    def stop(self):
        if not self.open:
            return
        self.engine.stop(self)
        self._safely(self._end_step)
        self._close()
        self.calls.stack.clear()
        self.live.clear()
        self.by_node.clear()
        self.by_leaf.clear()

    def _close(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
        self.leaves.release()
        self.open = False
        self.together.remove(self)
        if not self.together:
            _open.pop(self.thread, None)

    def _hook_model(self, model):
        if not self.engine.is_module(model):
            raise TypeError(f"a module is needed, not {type(model).__name__}\nGive the model; without one, each that is called is found.")
        if type(model).__name__ == "DataParallel":
            raise TypeError("a replicated model cannot be recorded: its replicas run in threads of their own\nRecord model.module.")
        for module in self.models.add(model, ""):
            self.handles.append(module.register_forward_pre_hook(Hook(self.engine.guarded(self._enter))))
            self.handles.append(module.register_forward_hook(Hook(self.engine.guarded(self._leave)), always_call=True))
        self._know(model, "")

    def _know(self, model, prefix):
        """Give the modules and parameters of a model their names, and listen to the parameters."""
        self.record._known += self.leaves.know(model, prefix) + self.models.paths_of(model)

    # ---------------------------------------------------------------- modules

    def _elsewhere(self):
        """Whether the caller is not to be recorded: another thread, or the recorder itself at work."""
        if not self.open or self.busy:
            return True
        if threading.get_ident() != self.thread:
            self.record._skip("calls in other threads")
            return True
        return False

    def _enter(self, module, args):
        if not self._elsewhere():
            self._safely(self._entered, module)

    def _entered(self, module):
        path = self.models.path(module)
        if path is None:
            if self.calls.stack:
                model, prefix = self.models.called_inside(module, self.calls.path)
            else:
                model, prefix = self.models.called_from(module, self._user_frame())
            self._know(model, prefix)
            path = self.models.path(module)
        again, recorded = self.engine.in_backward(), self.engine.grad_enabled()
        if self.backward_since and recorded and not again:
            self._maybe_step()
        self.calls.enter(module, path, again, recorded)

    def _leave(self, module, args, output):
        if not self._elsewhere():
            self._safely(self._left, module, output)

    def _left(self, module, output):
        call = self.calls.leave(module)
        if call is not None and output is not None:
            place = self.calls.place()
            for tensor, number, at, several in self.calls.results(output):
                self._returned(tensor, number, call, place, at, several)

    def _returned(self, tensor, number, call, place, at, several):
        """A module returned a tensor, which the program stores as the ``at``-th of ``place``'s variables."""
        node = self.engine.history(tensor)
        if not node:
            return
        entry = self._entry_of(tensor, node) or self._adopt(tensor)
        if entry is None:
            return
        first = not entry.outputs
        if first:
            entry.path, entry.call, entry.number = call.path, call.number, number
        entry.outputs += (call.path,)
        if place is not None:
            called = None if at is None or several and len(place.variables) < 2 else place.variable(at)
            entry.variable = called if first else entry.variable or called

    # ---------------------------------------------------------------- steps

    def _maybe_step(self):
        """What is computed after a backward pass belongs to the next step."""
        if self.backward_since:
            self._end_step()
            if self.writer is not None:
                self.record._forget()  # what is in the file need not fill the memory
            self.step += 1
            self.resting = self.step % self.every != 0
            self.ordinary = not self.resting
            if self.resting:
                self.engine.pause(self)  # until a gradient reaches a leaf
            self.by_leaf, self.by_node, self.last = {}, {}, None
            self.scalars, self.passing = [], False
            self.live = {k: e for k, e in self.live.items() if e.ref() is not None}
            self.calls.begins_step()
            self.leaves.begins_step()
            self._expect_less()
            for w in self.watchers:
                w.began(self.step)

    def _expect_less(self):
        """Of entries two steps old no sum is held any more: a program may keep a graph and never walk it again."""
        if self.expecting:
            for entry in self.expecting:
                if entry.step < self.step - 1:
                    entry.expect_no_more()
            self.expecting = [e for e in self.expecting if e.step >= self.step - 1]

    def _end_step(self):
        if self.backward_since:
            self.backward_since = False
            self.calls.ends_backward()
            for w in self.watchers:
                w.stepped(self.step)
            if self.writer is not None:
                self.writer.stepped(self.step)

    def _before_update(self, optimizer, args, kwargs):
        if not self._elsewhere() and not self.resting:
            self._safely(self.updates.begins, optimizer, self.by_leaf)

    def _after_update(self, optimizer, args, kwargs):
        if not self._elsewhere():
            self._safely(self._updated, optimizer)

    def _updated(self, optimizer):
        self.scalars += self.updates.ends(optimizer, self.by_leaf)
        self.record._updates.append((self.step, type(optimizer).__name__))

    # ---------------------------------------------------------------- operators

    def computed(self, op, where, inputs, outputs, behind=()):
        """An operator ran. ``where``: (code, instruction), or None to look for it. ``behind``: nodes that it came from, beside
        those of the inputs.
        """
        if self._elsewhere():
            return
        together = self.together
        for recorder in together:
            recorder.busy = True
        try:
            if self.ordinary and len(outputs) == 1 and not (self.backward_since or behind or op in LOSSES) and where is not None:
                self._computed_one(op, where, inputs, outputs[0])
            else:
                self._computed(op, where, inputs, outputs, behind)
        except self.alarms:
            raise
        except Exception as error:
            self._failed(error)
        finally:
            for recorder in together:
                recorder.busy = False

    def _safely(self, work, *args):
        """Do the recorder's own work: no recorder of this thread takes it for the program's, and no error but an alarm reaches the
        training.
        """
        for recorder in self.together:
            recorder.busy = True
        try:
            work(*args)
        except self.alarms:
            raise
        except Exception as error:
            self._failed(error)
        finally:
            for recorder in self.together:
                recorder.busy = False

    def _failed(self, error):
        self.record._note(f"The recorder itself failed and went on: {type(error).__name__}: {error}")

    def _computed_one(self, op, where, inputs, tensor):
        """``_computed`` of the most frequent case: one result, in the middle of a step. Between two large operators nothing of the
        recorder is in the processor's caches, so what counts here is how little code and memory is touched.
        """
        engine, live = self.engine, self.live
        history = engine.history
        node = history(tensor)
        if not node or engine.in_backward():
            self._computed(op, where, inputs, [tensor], ())
            return
        self.passing = False
        sources, leaves, hooked = [], [], self.leaves.hooked
        for t in inputs:
            before = history(t)
            if before:
                found = live.get(id(t))
                if found is not None and found.ref() is t and found.node == before:
                    sources.append(found)
                elif (found := self._adopt(t)) is not None:
                    sources.append(found)
            elif before is False:
                found = hooked.get(id(t))
                if found is None or found() is not t:
                    self._leaf_seen(t)
                leaves.append(id(t))
        entry = self._make(op, where, tensor, 0, False, node)
        position = (entry.position,)
        for source in sources:
            source.used_by += position
        if leaves:
            self.leaves.used(leaves, position)
        for w in self.watchers:
            w.computed(op, where, inputs, [tensor], sources, [entry])

    def _computed(self, op, where, inputs, outputs, behind):
        engine, history = self.engine, self.engine.history
        again = engine.in_backward()
        nodes = [history(t) for t in outputs]
        if not again and any(nodes):
            if self.backward_since:
                self._maybe_step()
            self.passing = False
        if self.resting:
            return
        sources, leaves = [], []
        for n in behind:
            if n in self.by_node:
                sources.append(self.by_node[n])
        for t in inputs:
            node = history(t)
            if node is None:
                continue
            if node is False:
                if not self.leaves.is_hooked(t):
                    self._leaf_seen(t)
                leaves.append(id(t))
                continue
            source = self._entry_of(t, node) or self._adopt(t)
            if source is not None:
                sources.append(source)
        made = []
        for number, (t, node) in enumerate(zip(outputs, nodes)):
            if node:
                made.append(self._make(op, where, t, number, again, node))
            elif not again and engine.is_differentiable(t):
                self.record._skip(reason(self, t, inputs))
        if made:
            positions = tuple([e.position for e in made])
            for source in sources:
                source.used_by += positions
            self.leaves.used(leaves, positions)
        elif not again and outputs and (sources or leaves) and engine.is_differentiable(outputs[0]):
            self._cut(op, where, sources, inputs, outputs)
        if op in LOSSES and len(inputs) > 1:
            self._check_broadcast(op, where, inputs)
        for w in self.watchers:
            w.computed(op, where, inputs, outputs, sources, made)

    def _check_broadcast(self, op, where, inputs):
        """(N,) against (N, 1) gives (N, N): a loss of that is hardly ever meant."""
        a, b = tuple(inputs[0].shape), tuple(inputs[1].shape)
        if (*a, 1) == b and len(a) == 1 and a[0] > 1 or (*b, 1) == a and len(b) == 1 and b[0] > 1:
            place = names.place_of(where if where is not None else self._user_place())
            n = max(a + b)
            self.record._note(
                f"{op} at {place} takes shapes {list(a)} and {list(b)} and broadcasts them to [{n}, {n}], every element against "
                "every other: give both the same shape, with squeeze(1) or unsqueeze(1)."
            )

    def _cut(self, op, where, sources, inputs, outputs):
        """A gradient's way ends here: something with history went in and something without came out."""
        place = names.place_of(where if where is not None else self._user_place())
        how = CUTTERS.get(op) or ("torch.no_grad()" if not self.engine.grad_enabled() else f"{op}()")
        leaves = tuple(self.leaves.name(id(t))[0] for t in inputs if self.leaves.is_hooked(t))
        cut = Cut(how, place, self.calls.path, self.step, tuple(s.position for s in sources), leaves)
        if len(self.record._cuts) < CUTS_KEPT:
            self.record._cuts.append(cut)
            for t in outputs:
                self.record._cut_results[id(t)] = weakref.ref(t), cut

    def _make(self, op, where, tensor, number, again, node, adopted=False):
        entry = Entry(self.record, "intermediate")
        place = names.place_of(where if where is not None else self._user_place())
        stack = self.calls.stack
        call = stack[-1] if stack else None
        if adopted:  # by the program's own module, whatever uses it now
            entry.adopted = True
            call = self.calls.of_the_program()
        entry.op, entry.place, entry.step, entry.node = op, place, self.step, node
        if call is not None:
            entry.path, entry.call = call.path, call.number
        if call is None or not call.library:
            if place.variables:
                entry.variable = place.variable(number)
            last = self.last
            if last is not None and last.place is place and last.op != op and not last.outputs:
                last.variable = None  # one function of several operators: the last one's result has the name
        self.last = entry
        entry.shape, entry.dtype, entry.number_in_node = self.engine.facts(tensor)
        entry.ref = weakref.ref(tensor)
        if self.values:
            entry.value = Statistics(self.engine.array(tensor), quick=True)
        before = self.live.get(id(tensor))
        self.live[id(tensor)] = entry
        self.by_node[node] = entry
        if not again:
            self.record._add(entry)
            if before is not None and before.ref() is tensor:  # written in place: what it was is behind what it is
                before.used_by += (entry.position,)
        self.engine.attach(tensor, entry.see)
        return entry

    def _entry_of(self, tensor, node=None):
        """The entry of a tensor as it is now, made by ``node``; None if it was never seen, or written since."""
        found = self.live.get(id(tensor))
        if found is None or found.ref() is not tensor or found.node != (node or self.engine.history(tensor)):
            return None
        return found

    def _adopt(self, tensor):
        """An entry for a tensor that was made where nobody looked: before the recording, or by a custom function."""
        name = self.engine.node_name(tensor)
        if name is None or self.resting:
            return None
        node = self.engine.history(tensor)
        entry = self._make(name, None, tensor, self.engine.output_number(tensor), self.engine.in_backward(), node, True)
        entry.variable = self._local(tensor) or entry.variable
        return entry

    def _leaf_seen(self, leaf):
        """A leaf that is no parameter of the model, such as an input that requires grad."""
        known = self._parameter_name(leaf)
        if known is None and self.model is None and self.engine.is_parameter(leaf):
            found = self.models.holding(leaf, self._user_frame())  # it is used before its module is called
            if found is not None:
                self._know(*found)
                known = self._parameter_name(leaf)
        if known is not None:
            self.leaves.add(leaf, known)
        else:
            self.leaves.add(leaf, self._local(leaf) or "leaf", names.place_of(self._user_place()))

    def _parameter_name(self, leaf):
        """The name of a parameter of a known model: it was frozen, or has just been made."""
        return next((n for n, p in self.models.named_parameters() if p is leaf), None)

    def _user_frame(self):
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(self.engine.packages):
            frame = frame.f_back
        return frame

    def _user_place(self):
        frame = self._user_frame()
        return frame.f_code, frame.f_lasti

    def _local(self, tensor):
        return names.local_name(self._user_frame(), tensor)

    # ---------------------------------------------------------------- gradients

    def arrived(self, entry, grad):
        if self.open:
            self._safely(self._arrive, entry, grad)

    def _arrive(self, entry, grad):
        if entry.position is None:
            self.record._add(entry)  # made inside a backward pass, and reached
        entry.arrivals += 1
        self.last_arrival = entry
        if not self.engine.grad_enabled():  # else the pass is recorded itself, and more comes of it
            self.backward_since = True
        if not self.passing:
            self.passing = True
            self._begins(entry)
        self._keep(entry, grad, entry.ref(), False)
        for w in self.watchers:
            w.arrived(entry, grad)

    def _begins(self, entry):
        """A backward pass begins here: remember the loss, by the name that the program has for it."""
        tensor = entry.ref()
        if tensor is not None and math.prod(entry.shape) == 1:
            value = self.engine.array(tensor).reshape(-1)[0]
            name = entry.variable
            if name is None or entry.outputs:  # a module's results may be stored as one: out, where the loss is out['loss']
                held = names.held_name(self._user_frame(), tensor)
                if held is not None and (name is None or held.startswith((f"{name}[", f"{name}."))):
                    name = held
            self.scalars.append((name or entry.base_name, float(value.real)))

    def _leaf_done(self, leaf):
        """A leaf's ``.grad`` was added to."""
        if self._elsewhere():
            return
        self.leaves.reached.add(id(leaf))
        if self.resting:
            self.backward_since = True
            self.engine.resume(self)
            return
        grad = self.engine.grad_of(leaf)
        if grad is not None:
            self._safely(self._leaf_arrive, leaf, grad)

    def _leaf_arrive(self, leaf, grad):
        entry = self.by_leaf.get(id(leaf))
        if entry is None or entry.ref() is not leaf:
            entry = self.by_leaf[id(leaf)] = self._leaf_entry(leaf)
        entry.arrivals += 1
        if entry.kept != WHOLE:  # which is written anew
            entry.drop()  # what is shown of a leaf is its .grad, the sum so far
        if not self.engine.grad_enabled():  # else the pass is recorded itself, and more comes of it
            self.backward_since = True
        self._keep(entry, grad, leaf, True)
        entry.weight_norm = norm_of(self.engine.array(leaf))
        for w in self.watchers:
            w.arrived(entry, grad)

    def _leaf_entry(self, leaf):
        name, place = self.leaves.name(id(leaf))
        entry = Entry(self.record, "parameter" if place is None else "input")
        entry.step, entry.variable, entry.place = self.step, name, place or names.UNKNOWN
        if place is None:
            entry.op, entry.path = "parameter", name.rpartition(".")[0]
        else:
            entry.op = "leaf"
        entry.shape, entry.dtype, _ = self.engine.facts(leaf)
        entry.ref = weakref.ref(leaf)
        self.record._add(entry)
        return entry

    def _keep(self, entry, grad, tensor, own):
        """Keep what was asked for. ``own``: the gradient is written to later, so that a whole one must be copied."""
        form = self.form or self.record._form(entry)
        if callable(form):
            try:
                entry.result = form(name=entry.name, tensor=tensor, grad=self.engine.shown(grad))
            except Exception as error:
                entry.error = f"{type(error).__name__}: {error}"
                self.record._note(f"The function for {entry.name} raised {entry.error}; the training went on.")
            return
        entry.keep(form, self.engine, grad, own)
