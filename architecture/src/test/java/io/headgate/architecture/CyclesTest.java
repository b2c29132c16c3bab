package io.headgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;
import org.junit.jupiter.api.Test;

/** Cycles between files, also within a package: the strongly connected components of the graph of their references. */
class CyclesTest {

    @Test
    void files_depend_on_each_other_in_a_cycle_only_where_the_list_says_so() {
        List<String> cycles = Modules.NAMES.stream().flatMap(CyclesTest::cycles).toList();
        assertThat(cycles)
                .as("cycles; remove old lines without a cycle from cycles.txt, and cut new cycles")
                .containsExactlyInAnyOrderElementsOf(Modules.list("cycles.txt"));
    }

    /** One line for each cycle: the module, and the names of its files in alphabetical order. */
    private static Stream<String> cycles(String module) {
        Graph<String, DefaultEdge> references = new DefaultDirectedGraph<>(DefaultEdge.class);
        for (JavaClass type : Modules.classes(module)) {
            references.addVertex(file(type));
        }
        for (JavaClass type : Modules.classes(module)) {
            for (Dependency reference : type.getDirectDependenciesFromSelf()) {
                String target = file(reference.getTargetClass());
                if (!target.equals(file(type)) && references.containsVertex(target)) {
                    references.addEdge(file(type), target);
                }
            }
        }
        return new KosarajuStrongConnectivityInspector<>(references)
                .stronglyConnectedSets().stream()
                        .filter(cycle -> cycle.size() > 1)
                        .map(cycle -> module + ": " + names(cycle))
                        .sorted();
    }

    private static String names(Set<String> cycle) {
        return cycle.stream()
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(", "));
    }

    /** The name of the outermost class, which is that of its file. */
    private static String file(JavaClass type) {
        String name = type.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
