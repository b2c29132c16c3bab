package io.headgate.queues.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EntryIdTest {

    @Test
    void an_id_is_parsed_and_formatted_as_in_redis() {
        for (String id : new String[] {"0-0", "1718000000000-0", "1718000000000-7", "1-18446744073709551615"}) {
            assertThat(EntryId.parse(id).toString()).isEqualTo(id);
        }
    }

    @Test
    void an_entry_id_survives_conversion_to_a_job_id() {
        for (String id : new String[] {"0-0", "1718000000000-7", "281474976710655-18446744073709551615"}) {
            assertThat(EntryId.of(EntryId.parse(id).jobId())).isEqualTo(EntryId.parse(id));
        }
        assertThat(EntryId.parse("1-2").jobId().value()).isEqualTo("000000000000010000000000000002");
    }

    @Test
    void later_entries_have_greater_ids() {
        assertThat(EntryId.parse("2-0")).isGreaterThan(EntryId.parse("1-9"));
        assertThat(EntryId.parse("2-10")).isGreaterThan(EntryId.parse("2-9"));
        assertThat(EntryId.parse("2-18446744073709551615")).isGreaterThan(EntryId.parse("2-9223372036854775807"));
        assertThat(EntryId.parse("2-1")).isEqualByComparingTo(EntryId.parse("2-1"));
    }

    @Test
    void an_invalid_id_is_rejected() {
        for (String text : new String[] {"", "5", "-", "a-b", "1-", "-1-1", "1-1 ", "1234567890123456-0"}) {
            assertThatThrownBy(() -> EntryId.parse(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the id of an entry is milliseconds and a number, such as 1718000000000-0, was \""
                            + text + "\"");
        }
        assertThatThrownBy(() -> EntryId.parse("1-99999999999999999999")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EntryId.parse("281474976710656-0"))
                .hasMessage("milliseconds of an entry's id must be from 0 to 2^48 - 1, was 281474976710656");
    }
}
