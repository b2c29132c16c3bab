package io.headgate.spring;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.util.ClassUtils;

/**
 * Notifies of events of Spring Cloud after which the properties of the application may be other ones. Spring Cloud is optional, so the events
 * are known by their names only.
 */
final class EnvironmentChanges implements SmartApplicationListener {

    private static final String CHANGED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private static final Set<String> EVENTS =
            Set.of(CHANGED, "org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent");

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** Whether Spring Cloud is on the class path, so that properties may change. */
    static boolean arePossible() {
        return ClassUtils.isPresent(CHANGED, EnvironmentChanges.class.getClassLoader());
    }

    void add(Runnable listener) {
        listeners.add(listener);
    }

    void remove(Runnable listener) {
        listeners.remove(listener);
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return EVENTS.contains(type.getName());
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        listeners.forEach(Runnable::run);
    }
}
