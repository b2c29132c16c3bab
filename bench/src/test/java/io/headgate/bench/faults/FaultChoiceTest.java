package io.headgate.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.bench.faults.FaultsCommand.FaultChoice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The selection of faults by name. */
class FaultChoiceTest {

    @Test
    void without_names_all_faults_are_selected() {
        FaultChoice all = FaultChoice.of(List.of());

        assertThat(all.limits())
                .hasSize(FaultCases.all().size() + FaultCases.failovers().size());
        assertThat(all.jobs()).hasSameSizeAs(FaultCases.all());
        assertThat(all.losses()).hasSameSizeAs(LossCase.all());
        assertThat(all.dead()).isTrue();
    }

    @Test
    void a_case_is_selected_for_limits_and_for_jobs() {
        FaultChoice killed = FaultChoice.of(List.of("killed"));

        assertThat(killed.limits()).extracting(FaultCase::name).containsExactly("killed");
        assertThat(killed.jobs()).extracting(FaultCase::name).containsExactly("killed");
        assertThat(killed.losses()).isEmpty();
        assertThat(killed.dead()).isFalse();
    }

    @Test
    void a_case_that_is_named_together_with_a_part_is_selected_for_that_part_only() {
        FaultChoice killed = FaultChoice.of(List.of("jobs", "killed"));

        assertThat(killed.limits()).isEmpty();
        assertThat(killed.jobs()).extracting(FaultCase::name).containsExactly("killed");
    }

    @Test
    void a_failover_is_selected_for_limits_only() {
        FaultChoice failover = FaultChoice.of(List.of("slot moves"));

        assertThat(failover.limits()).extracting(FaultCase::name).containsExactly("slot moves");
        assertThat(failover.jobs()).isEmpty();
        assertThat(failover.losses()).isEmpty();
    }

    @Test
    void a_row_of_the_loss_matrix_is_selected_without_other_rows() {
        FaultChoice row = FaultChoice.of(List.of(LossCase.CLUSTER, "dead"));

        assertThat(row.losses()).extracting(LossCase::name).containsExactly(LossCase.CLUSTER);
        assertThat(row.jobs()).isEmpty();
        assertThat(row.dead()).isTrue();
    }

    @Test
    void an_unknown_name_is_rejected() {
        assertThatThrownBy(() -> FaultChoice.of(List.of("killed", "moon")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is no case moon; there are limits, dead, jobs, losses, refused");
    }
}
