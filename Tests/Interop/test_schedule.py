"""The order of the tests in parallel processes."""

import pytest
import schedule


@pytest.mark.parametrize("process_count", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_every_test_has_one_place_and_the_others_keep_their_order(count, process_count):
    items = [f"case {number}" for number in range(count)]
    durations = {item: number for number, item in enumerate(items) if number % 9 == 4}
    result = schedule.ordered(items, lambda item: durations.get(item, 0), process_count)
    assert sorted(result) == sorted(items)
    assert [item for item in result if item not in durations] == [item for item in items if item not in durations]


def test_each_process_begins_with_its_share_of_the_slow_tests():
    durations = {"b": 3, "e": 9, "f": 1, "h": 0.6, "a": 0.4}
    result = schedule.ordered(list("abcdefghi"), lambda item: durations.get(item, 0), 2)
    assert "".join(result) == "efac" + "bhdgi"


def test_the_record_keeps_the_durations_of_tests_that_did_not_run(monkeypatch, tmp_path):
    monkeypatch.setattr(schedule, "RECORD", tmp_path / "record.json")
    assert schedule.recorded() == {}
    schedule.record({"a": 1, "b": 2})
    schedule.record({"b": 3})
    assert schedule.recorded() == {"a": 1, "b": 3}
    schedule.RECORD.write_text("{")
    assert schedule.recorded() == {}
