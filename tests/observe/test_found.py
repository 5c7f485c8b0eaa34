"""The names of modules that nobody named: those of the program."""

from tests.observe.models import inputs, settle

from rushlight import observe


def named(rec):
    return {e.path for e in rec if e.outputs}


def linear(torch):
    return settle(torch, torch.nn.Linear(3, 3))


def test_what_is_looped_over_gives_the_names(torch):
    layers = [linear(torch) for _ in range(3)]
    net = torch.nn.Sequential(*layers)
    with observe.record(engine=torch.__name__) as rec:
        h = inputs(torch, 2, 3)
        for layer in net:
            h = torch.tanh(layer(h))
        h.sum().backward()
    assert named(rec) == {"net.0", "net.1", "net.2"} and "net.2.weight" in rec


def test_loops_over_lists_pairs_and_dicts(torch):
    models = {"a": linear(torch), "b": linear(torch)}
    with observe.record(engine=torch.__name__) as rec:
        for _, model in models.items():
            model(inputs(torch, 2, 3)).sum().backward()
    assert named(rec) == {"models['a']", "models['b']"}
    layers = [linear(torch), linear(torch)]
    with observe.record(engine=torch.__name__) as rec:
        sum(one(inputs(torch, 2, 3)).sum() for one in layers).backward()
        [layer(inputs(torch, 2, 3)) for layer in layers][-1].sum().backward()
    assert named(rec) == {"layers[0]", "layers[1]"}


def test_a_part_of_what_a_loop_is_at(torch):
    blocks = [torch.nn.ModuleDict({"inner": linear(torch)}) for _ in range(3)]
    with observe.record(engine=torch.__name__) as rec:
        for block in blocks:
            block["inner"](inputs(torch, 2, 3)).sum().backward()
    assert named(rec) == {f"blocks[{i}].inner" for i in range(3)}


def test_where_nothing_else_is_there_the_variable_of_the_loop_names(torch):
    with observe.record(engine=torch.__name__) as rec:
        for made in (torch.nn.Linear(3, 1) for _ in range(2)):
            made(inputs(torch, 2, 3)).sum().backward()
    assert len(named(rec)) <= 2 and all(n.startswith("made") for n in named(rec))


def test_a_model_is_not_named_after_what_wraps_it(torch):
    net = linear(torch)
    wrapper = torch.nn.Sequential(net)
    with observe.record(engine=torch.__name__) as rec:
        net(inputs(torch, 2, 3)).sum().backward()
    assert named(rec) == {"net"} and wrapper[0] is net
