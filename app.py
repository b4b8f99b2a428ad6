"""dpviz: navigation; opening the app lands on Explore."""

from dpviz.ui import navigation

navigation.run()
