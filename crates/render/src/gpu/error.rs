//! Errors of the driver.

/// Remedy for a missing OpenGL 3.3 driver, by system.
pub const INSTALL_DRIVER: &str = if cfg!(windows) {
    "install the driver of the graphics card; without one, put Mesa's opengl32.dll next to rigview.exe"
} else if cfg!(target_vendor = "apple") {
    "update macOS"
} else {
    "install a driver (apt install libegl1 libgl1-mesa-dri)"
};

/// An OpenGL call failed.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The context is not OpenGL 3.3 or later.
    #[error("{renderer} supports OpenGL {version}, but 3.3 is required: {INSTALL_DRIVER}")]
    TooOld {
        /// `GL_VERSION`.
        version: String,
        /// `GL_RENDERER`.
        renderer: String,
    },
    /// The context has a limit below what OpenGL 3.3 guarantees.
    #[error("{renderer} has {value} {limit}, but OpenGL 3.3 guarantees {guaranteed}: {INSTALL_DRIVER}")]
    Limit {
        /// `GL_RENDERER`.
        renderer: String,
        /// What is limited.
        limit: &'static str,
        /// The limit of the context.
        value: i32,
        /// That of OpenGL 3.3.
        guaranteed: i32,
    },
    /// The driver cannot create an object.
    #[error("the driver cannot create a {object}: {reason}")]
    Create {
        /// Kind of object.
        object: &'static str,
        /// Message of the driver.
        reason: String,
    },
    /// A shader does not compile.
    #[error("the driver cannot compile the {stage} shader of {program}: {log}")]
    Compile {
        /// The program it belongs to.
        program: String,
        /// Vertex, geometry or fragment.
        stage: &'static str,
        /// Log of the driver.
        log: String,
    },
    /// The shaders of a program do not link.
    #[error("the driver cannot link {program}: {log}")]
    Link {
        /// The program.
        program: String,
        /// Log of the driver.
        log: String,
    },
    /// The driver still compiles a program.
    #[error("the driver still compiles a program")]
    Compiling,
    /// A framebuffer is incomplete.
    #[error("the driver cannot draw into a framebuffer of {description} (status {status:#06x})")]
    Framebuffer {
        /// Its attachments.
        description: String,
        /// `glCheckFramebufferStatus`.
        status: u32,
    },
    /// An object exceeds the size range of OpenGL.
    #[error("a {object} of {size_bytes} bytes is too large; use fewer instances or smaller meshes")]
    TooLarge {
        /// Kind of object.
        object: &'static str,
        /// Requested size.
        size_bytes: usize,
    },
    /// The context was lost with all its objects.
    #[error(
        "the graphics driver was reset{cause}, while {during}, and its resources are lost: start again; if it recurs, use \
         a smaller image, fewer instances or smaller textures, or install another driver"
    )]
    Lost {
        /// Activity at the time.
        during: &'static str,
        /// Cause as reported by the driver.
        cause: &'static str,
    },
    /// OpenGL reported an error.
    #[error("OpenGL error {code:#06x} while {during}{}", meaning(*code))]
    Gl {
        /// Activity at the time.
        during: &'static str,
        /// `glGetError`.
        code: u32,
    },
}

impl GpuError {
    /// Returns `true` if the driver may support another format: memory is left, and so is the context.
    pub(crate) fn is_of_format(&self) -> bool {
        match self {
            Self::Framebuffer { .. } => true,
            Self::Gl { code, .. } => *code != glow::OUT_OF_MEMORY,
            _ => false,
        }
    }
}

fn meaning(code: u32) -> &'static str {
    match code {
        glow::INVALID_ENUM => " (invalid enum)",
        glow::INVALID_VALUE => " (invalid value)",
        glow::INVALID_OPERATION => " (invalid operation)",
        glow::INVALID_FRAMEBUFFER_OPERATION => " (invalid framebuffer operation)",
        glow::OUT_OF_MEMORY => " (out of memory: use a smaller image, fewer instances or smaller textures)",
        _ => "",
    }
}
